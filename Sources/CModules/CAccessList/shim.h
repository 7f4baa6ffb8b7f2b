#pragma once
#if defined(__linux__)
#include <errno.h>
#include <sys/xattr.h>

/* Whether the open file has an access control list (acl(5)) beside its mode: 1 or 0, or -1 if the kernel does not say. It
   is in C because Swift's module of the C library lacks <sys/xattr.h>. */
static inline int shim_has_access_list(int file) {
  if (fgetxattr(file, "system.posix_acl_access", 0, 0) >= 0) return 1;
  return errno == ENODATA || errno == ENOTSUP ? 0 : -1;
}
#endif
