/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory owned by the executor. */
#include "host/shared.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef UG_FIBER_TSAN
extern "C" {
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
}
#endif

namespace
{
/* What the executor writes while a GPU thread declares an array is nobody's store: no thread has to
 * wait for it, and none is ordered by it. */
struct unseen {
#ifdef UG_FIBER_TSAN
    unseen() { AnnotateIgnoreWritesBegin(__FILE__, __LINE__); }
    ~unseen() { AnnotateIgnoreWritesEnd(__FILE__, __LINE__); }
#else
    unseen() {}
    ~unseen() {}
#endif
};

/* ASan's own fences around an allocation of exactly the right size name the line; otherwise ours
 * tell after the block. */
#ifdef UG_FIBER_ASAN
constexpr size_t fence = 0;
constexpr bool exact = true;
#else
constexpr size_t fence = 128;
constexpr bool exact = false;
#endif
constexpr size_t alignment = 128;
constexpr int canary = 0xa5;

bool is_canary(const unsigned char *p)
{
    for (size_t i = 0; i < fence; i++)
        if (p[i] != canary) return false;
    return true;
}
} // namespace

ug_shared_memory::~ug_shared_memory()
{
    free(dynamic_.base);
    for (region &r : active_) free(r.base);
    for (region &r : kept_) free(r.base);
}

bool ug_shared_memory::allocate(region &r, size_t bytes)
{
    void *base = nullptr;
    if (bytes > SIZE_MAX - 2 * fence) return false;
    if (posix_memalign(&base, alignment, fence + bytes + fence) != 0) return false;
    r.base = static_cast<unsigned char *>(base);
    r.at = r.base + fence;
    r.bytes = bytes;
    return true;
}

void ug_shared_memory::mark(const region &r)
{
    memset(r.at - fence, canary, fence);
    memset(r.at + r.bytes, canary, fence);
}

bool ug_shared_memory::whole(const region &r)
{
    return is_canary(r.at - fence) && is_canary(r.at + r.bytes);
}

bool ug_shared_memory::begin(size_t bytes, size_t limit)
{
    if (!dynamic_.base || bytes > room_ || (exact && bytes != dynamic_.bytes)) {
        free(dynamic_.base);
        dynamic_ = {};
        if (!allocate(dynamic_, bytes)) return false;
        room_ = bytes;
    }
    dynamic_.bytes = bytes;
    mark(dynamic_);
    kept_.insert(kept_.end(), active_.begin(), active_.end());
    active_.clear();
    used_ = bytes;
    limit_ = limit;
    return true;
}

void ug_shared_memory::poison()
{
    memset(dynamic_.at, 0xff, dynamic_.bytes);
    for (const region &r : active_) memset(r.at, 0xff, r.bytes);
}

void *ug_shared_memory::find(const void *key, size_t bytes, size_t align)
{
    for (const region &r : active_)
        if (r.key == key) return r.at;
    if (align > alignment) return nullptr;
    const unseen writes;
    used_ += bytes;
    if (used_ > limit_) return nullptr;
    region found = {};
    for (size_t i = 0; i < kept_.size(); i++)
        if (kept_[i].key == key && kept_[i].bytes == bytes) {
            found = kept_[i];
            kept_.erase(kept_.begin() + (ptrdiff_t)i);
            break;
        }
    if (!found.base && !allocate(found, bytes)) return nullptr;
    found.key = key;
    mark(found);
    memset(found.at, 0xff, bytes);
    active_.push_back(found);
    return found.at;
}

bool ug_shared_memory::intact(size_t *bytes) const
{
    *bytes = dynamic_.bytes;
    if (!whole(dynamic_)) return false;
    for (const region &r : active_) {
        *bytes = r.bytes;
        if (!whole(r)) return false;
    }
    return true;
}
