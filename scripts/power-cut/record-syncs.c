/* Preloaded into every process of a story: writes down which file was created, and how much of which file was synced. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Opened for each line, by system calls: programs close descriptors that they do not know. */
static void record(char what, const struct stat *file, long long size) {
  const char *path = getenv("RALPH_SYNC_LOG");
  char line[128];
  int length, log;
  if (path == NULL) return;
  log = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (log < 0) return;
  length = snprintf(line, sizeof line, "%c %llu:%llu %lld\n", what, (unsigned long long)file->st_dev,
                    (unsigned long long)file->st_ino, size);
  syscall(SYS_write, log, line, length);
  syscall(SYS_close, log);
}

/* A new file may have the number of a deleted one, whose synced bytes are not its own. */
static int created(int descriptor, int flags) {
  struct stat file;
  if (descriptor >= 0 && (flags & (O_CREAT | O_TRUNC)) != 0 && fstat(descriptor, &file) == 0 &&
      S_ISREG(file.st_mode) && file.st_size == 0)
    record('C', &file, 0);
  return descriptor;
}

/* The size before the call: what is written meanwhile may not be on the disk. */
static int synced(const char *name, int descriptor) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  struct stat file;
  int isKnown = fstat(descriptor, &file) == 0;
  int result = real(descriptor);
  if (result == 0 && isKnown && S_ISREG(file.st_mode)) record('S', &file, file.st_size);
  return result;
}

int fsync(int descriptor) { return synced("fsync", descriptor); }
int fdatasync(int descriptor) { return synced("fdatasync", descriptor); }

#define MODE_OF(flags)                      \
  mode_t mode = 0;                          \
  if ((flags) & O_CREAT) {                  \
    va_list rest;                           \
    va_start(rest, flags);                  \
    mode = (mode_t)va_arg(rest, unsigned);  \
    va_end(rest);                           \
  }

#define OPEN(name)                                                          \
  int name(const char *path, int flags, ...) {                              \
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name);          \
    MODE_OF(flags)                                                          \
    return created(real(path, flags, mode), flags);                         \
  }

#define OPENAT(name)                                                        \
  int name(int folder, const char *path, int flags, ...) {                  \
    int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, #name);     \
    MODE_OF(flags)                                                          \
    return created(real(folder, path, flags, mode), flags);                 \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
