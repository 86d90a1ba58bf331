// In a worker: d3-force until it settles or its time is up.
import "../vendor/d3-dispatch.min.js";
import "../vendor/d3-timer.min.js";
import "../vendor/d3-quadtree.min.js";
import "../vendor/d3-force.min.js";

const SECONDS = 1.6;
const { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } = globalThis.d3;

onmessage = ({ data: { count, pairs } }) => {
  const begun = performance.now();
  const bodies = Array.from({ length: count }, (_, index) => ({ index }));
  const links = pairs.map(([source, target]) => ({ source, target }));
  const simulation = forceSimulation(bodies)
    .force("link", forceLink(links).distance(46))
    .force("charge", forceManyBody().strength(-70).theta(1.1).distanceMax(900))
    .force("x", forceX().strength(0.04))
    .force("y", forceY().strength(0.06))
    .force("collide", forceCollide(9))
    .alphaDecay(0.03)
    .stop();
  while (simulation.alpha() > 0.01 && performance.now() - begun < SECONDS * 1000) simulation.tick();
  const places = new Float64Array(2 * count);
  bodies.forEach(({ x, y }, at) => places.set([x, y], 2 * at));
  postMessage(places, [places.buffer]);
};
