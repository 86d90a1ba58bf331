"""How words of questions are matched with the relations they mean: training and figures."""
