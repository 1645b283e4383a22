/* Groups of processes that communicate.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_DISTRIBUTED_GROUP_H
#define MLX_C_DISTRIBUTED_GROUP_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A group of processes. */
typedef struct mlx_distributed_group_ {
  void* ctx;
} mlx_distributed_group;

/* A null handle. */
mlx_distributed_group mlx_distributed_group_new(void);

/* Frees a handle; a null one is left alone. */
int mlx_distributed_group_free(mlx_distributed_group group);

/* The group of all processes; a group of one where there are no others, unless `strict`. */
int mlx_distributed_init(mlx_distributed_group* res, bool strict, const char* bk);

/* The number of this process in the group. */
int mlx_distributed_group_rank(mlx_distributed_group group);

/* The number of processes in the group. */
int mlx_distributed_group_size(mlx_distributed_group group);

/* The group of the processes that give the same color, in the order of their keys. */
int mlx_distributed_group_split(mlx_distributed_group* res, mlx_distributed_group group, int color, int key);

/* Whether processes can communicate, by any means or by the one that is named. */
bool mlx_distributed_is_available(const char* bk);

#ifdef __cplusplus
}
#endif

#endif
