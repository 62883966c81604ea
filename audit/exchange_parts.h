/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that read and write an exchange share. */
#ifndef ULPGATE_EXCHANGE_PARTS_H
#define ULPGATE_EXCHANGE_PARTS_H

#include <jansson.h>

#include "audit/exchange.h"
#include "audit/pair.h"

enum { UG_EXCHANGE_SCHEMA = 1 };

/* Judges the outputs of a kernel on in->s, case `index` of the exchange, as ug_pair_judge does; in
 * has no client and no rig. out->not_exchanged says what went unseen. */
void ug_pair_judge_files(const ug_pair_in *in, const ug_exchange *x, size_t index, ug_pair *out);

/* What no file holds, whatever the case; and what a case asks for beyond that. As tags, with ", "
 * between them. */
void ug_exchange_unseen(const ug_case *c, char *text, size_t cap);

/* Sets x->dir, without slashes at its end. Returns 0, or -1 with err: too long. */
int ug_exchange_folder(ug_exchange *x, const char *dir, char *err, size_t cap);

/* DIR/WHERE/ID.safetensors or DIR/WHERE/ID.TENSOR.npy. */
void ug_exchange_path(const ug_exchange *x, const char *where, const char *id, const char *tensor,
                      char path[UG_EXCHANGE_PATH]);

/* The bits of a tensor of rows * n elements of type t (rows 1: also a vector), the caller frees.
 * Returns 0; with err 1 when there is no such file, 2 when the file has no such tensor, -1 when it
 * is another or damaged. */
int ug_exchange_bits(const ug_exchange *x, const char *where, const char *id, const char *tensor,
                     ug_dtype t, int64_t rows, int64_t n, void **bits, char *err, size_t cap);

/* A JSON object in a file, without doubled keys and without other keys than `keys` (NULL at the
 * end). Returns 0, 1 when there is no file, -1 with err. */
int ug_exchange_json(const char *path, const char *const keys[], json_t **object, char *err,
                     size_t cap);

/* Fills x->card from DIR/outputs. */
int ug_exchange_kernels(ug_exchange *x, char *err, size_t cap);

#endif
