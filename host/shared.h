/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory of the blocks that run on one OS thread: one dynamic region, and a static one a
 * declaration. Filled with NaN before every block; what is written just beside a region is noticed
 * after the block (under ASan at once). */
#ifndef ULPGATE_HOST_SHARED_H
#define ULPGATE_HOST_SHARED_H

#include <stddef.h>

#include <vector>

class ug_shared_memory
{
  public:
    ug_shared_memory() = default;
    ug_shared_memory(const ug_shared_memory &) = delete;
    ~ug_shared_memory();

    /* A new launch: `bytes` dynamic, `limit` in all. false: no memory. */
    bool begin(size_t bytes, size_t limit);
    void poison(); /* before every block */
    /* The region of a declaration. NULL: the limit is passed or memory is out; see used(). */
    void *find(const void *key, size_t bytes, size_t align);
    unsigned char *dynamic() const { return dynamic_.at; }
    /* After a block: false when something was written beside a region, whose size is *bytes. */
    bool intact(size_t *bytes) const;
    size_t used() const { return used_; }

  private:
    struct region {
        const void *key;
        unsigned char *base, *at;
        size_t bytes;
    };
    static bool allocate(region &r, size_t bytes);
    static void mark(const region &r);
    static bool whole(const region &r);

    region dynamic_ = {};
    size_t room_ = 0;                   /* capacity of the dynamic region */
    std::vector<region> active_, kept_; /* of this launch; of launches before */
    size_t used_ = 0, limit_ = 0;
};

#endif
