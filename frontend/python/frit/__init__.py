"""frit: arrays, compiled functions of them, layers and optimisers under MLX's names."""
