"""Which graph a name of benchmarks/questions/unseen stands for, and how it is made.

A recipe reads wheels of the package index and tables of the data folder. The graphs `hpo` and `hetionet` are those of
the benches `hpo-60` and `alzkb`.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import clew
from benchmarks.graphs.recipe import recipe_of
from benchmarks.graphs.unseen import club, drugs, films, gridiron, telly, world
from benchmarks.graphs.unseen.tables import Tables
from benchmarks.graphs.wheels import Wheel, fetch_wheel, wheel_folder
from clew.graph import Source
from clew.graph.staging import Relation
from clew.progress import Progress, silent

__all__ = ["RECIPES", "TableRecipe"]

READING = (  # what turns tables into a graph
    "benchmarks.graphs.unseen.tables",
    "clew.graph.build",
    "clew.graph.encode",
    "clew.graph.readers.conversion",
    "clew.graph.readers.parts",
    "clew.graph.readers.table",
    "clew.graph.staging",
)
WRITTEN = Path(__file__).parent / "written"


@dataclass(frozen=True, slots=True)
class TableRecipe:
    """A graph whose tables are read from wheels and from folders of the data folder."""

    read: Callable[[Sequence[ZipFile], Path], Tables]
    wheels: tuple[Wheel, ...]
    folders: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()  # of the folders
    beside: tuple[str, ...] = ()  # modules that the reading one needs
    symmetric: tuple[str, ...] = ()

    def digest(self, data: Path) -> str:
        """Ten letters that change with the code, with what was written by hand and with the data folder."""
        folders = (WRITTEN, *(data / name for name in self.folders))
        return recipe_of((*READING, *self.beside, __name__, self.read.__module__), folders)

    def tables(self, data: Path, *, progress: Progress = silent) -> Tables:
        """The tables of the graph; wheels that are missing are downloaded."""
        with ExitStack() as stack:
            paths = [fetch_wheel(wheel, wheel_folder(), progress=progress) for wheel in self.wheels]
            progress("reading tables", 0, None)
            return self.read([stack.enter_context(ZipFile(path)) for path in paths], data)

    def build(self, data: Path, out: Path, *, progress: Progress = silent) -> object:
        """Build the graph at `out`, as a new snapshot where there is one."""
        tables = self.tables(data, progress=progress)
        return clew.build(
            tables.triple_table(),
            entities=tables.entity_table(),
            relations=[Relation(name, symmetric=True) for name in self.symmetric],
            sources=[*(wheel.source for wheel in self.wheels), *self.sources],
            out=out,
            overwrite=True,
            progress=progress,
        )


RECIPES = {
    "world": TableRecipe(world.read_world, world.WHEELS),
    "films": TableRecipe(films.read_films, films.WHEELS),
    "drugs": TableRecipe(
        drugs.read_drugs,
        drugs.WHEELS,
        folders=("biomed_edges",),
        sources=drugs.SOURCES,
        beside=("benchmarks.graphs.biomed_tables",),
    ),
    "club": TableRecipe(club.read_club, club.WHEELS),
    "telly": TableRecipe(telly.read_telly, telly.WHEELS, beside=("benchmarks.graphs.unseen.frames",)),
    "gridiron": TableRecipe(gridiron.read_gridiron, gridiron.WHEELS, symmetric=("division_rival",)),
}
