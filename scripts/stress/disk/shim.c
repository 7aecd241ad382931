/*
 * Simulates a slow disk, and records changes to simulate power cuts. Loaded into a program by LD_PRELOAD, it intercepts
 * every system call that changes files: a seccomp filter traps these calls to the handler below, whether they come from
 * the C library or directly (Bun makes many direct calls, SQLite inside it none).
 *
 *   DISK_SYNC_US   minimum duration of fsync and fdatasync in microseconds
 *   DISK_ROOT      records changes to files below this folder (absolute, without symbolic links) …
 *   DISK_LOG       … in this file, which survives the program because each record is a single write
 *
 * changes.ts parses the recording, simulated-disk.ts derives possible disk states from it. Calls that would bypass the
 * recording (copying within the kernel, io_uring) fail as on a kernel without them; callers fall back to writing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* Marks the handler's own calls, in the sixth argument, which none of them uses. */
#define OURS 0x7175726eUL
#define FICLONE 0x40049409

static long raw(long nr, long a, long b, long c, long d, long e) {
  long result;
#if defined(__x86_64__)
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = OURS;
  __asm__ volatile("syscall" : "=a"(result) : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = nr, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
                x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = OURS;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  result = x0;
#else
#error "unsupported processor"
#endif
  return result;
}

/* ---- Recording ---- */

enum { WRITE = 1, RESIZE, SYNC, CREATE, MKDIR, RENAME, UNLINK, RMDIR, LINK };

/* Followed by `path`, `to` and `data`. changes.ts parses this layout. */
struct record {
  uint32_t total, kind, path, to;
  uint64_t number, inode, offset, data;
};

static char root[PATH_MAX];
static size_t root_length;
static int log_fd = -1;
static long sync_us;
static uint64_t number;
static int lock;

/* Makes a change and its record atomic; the spin lock is held briefly. Signals are blocked, so no holder is interrupted. */
static void take_turn(void) {
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) raw(__NR_sched_yield, 0, 0, 0, 0, 0);
}
static void end_turn(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }

struct change {
  int kind;
  uint64_t inode, offset;
  const char *path, *to;
  const struct iovec *data;
  int pieces;
  uint64_t length;
};

static void put(const struct change *change) {
  struct iovec parts[64];
  int count = 3;
  struct record head = {.kind = change->kind, .number = number++, .inode = change->inode, .offset = change->offset};
  head.path = change->path ? strlen(change->path) : 0;
  head.to = change->to ? strlen(change->to) : 0;
  head.data = change->length;
  head.total = sizeof head + head.path + head.to + head.data;
  parts[0] = (struct iovec){&head, sizeof head};
  parts[1] = (struct iovec){(void *)change->path, head.path};
  parts[2] = (struct iovec){(void *)change->to, head.to};
  uint64_t left = change->length;
  for (int i = 0; i < change->pieces && left > 0 && count < 64; i++) {
    size_t length = change->data[i].iov_len < left ? change->data[i].iov_len : left;
    parts[count++] = (struct iovec){change->data[i].iov_base, length};
    left -= length;
  }
  long written = raw(__NR_writev, log_fd, (long)parts, count, 0, 0);
  /* A partial record would make all later ones unreadable, so the program cannot continue. */
  if (left > 0 || written != (long)head.total) raw(__NR_exit_group, 97, 0, 0, 0, 0);
}

static int is_below(const char *path) {
  return strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

static long link_of(int fd, char *path) {
  char name[64];
  if (fd == AT_FDCWD) strcpy(name, "/proc/self/cwd");
  else snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  long length = raw(__NR_readlinkat, AT_FDCWD, (long)name, (long)path, PATH_MAX - 1, 0);
  path[length > 0 ? length : 0] = 0;
  return length;
}

/* Resolves the path of a call to an absolute one, if it is below the folder. */
static int resolve(int folder, const char *given, char *path) {
  if (given[0] == '/') {
    if (strlen(given) >= PATH_MAX) return 0;
    strcpy(path, given);
  } else {
    long length = link_of(folder, path);
    if (length <= 0 || length + 1 + strlen(given) >= PATH_MAX) return 0;
    path[length] = '/';
    strcpy(path + length + 1, given);
  }
  return is_below(path);
}

/* Returns the inode of an open file or folder below the folder, or 0. Ignores unlinked files. */
static uint64_t inode_of(int fd) {
  struct stat found;
  char path[PATH_MAX];
  if (log_fd < 0 || raw(__NR_fstat, fd, (long)&found, 0, 0, 0) < 0) return 0;
  if (!S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) return 0;
  return link_of(fd, path) > 0 && is_below(path) ? found.st_ino : 0;
}

static uint64_t inode_at(const char *path) {
  struct stat found;
  return raw(__NR_newfstatat, AT_FDCWD, (long)path, (long)&found, AT_SYMLINK_NOFOLLOW, 0) < 0 ? 0 : found.st_ino;
}

/* ---- System calls ---- */

static long on_write(long nr, const long *a) {
  int fd = a[0];
  struct iovec single = {(void *)a[1], a[2]};
  int is_single = nr == __NR_write || nr == __NR_pwrite64;
  int is_placed = nr == __NR_pwrite64 || nr == __NR_pwritev || (nr == __NR_pwritev2 && a[3] != -1);
  if (nr == __NR_pwritev2) nr = is_placed ? __NR_pwritev : __NR_writev;
  uint64_t inode = inode_of(fd);
  if (!inode) return raw(nr, a[0], a[1], a[2], a[3], a[4]);
  take_turn();
  long written = raw(nr, a[0], a[1], a[2], a[3], a[4]);
  if (written > 0) {
    uint64_t offset = is_placed ? a[3] : raw(__NR_lseek, fd, 0, SEEK_CUR, 0, 0) - written;
    put(&(struct change){.kind = WRITE, .inode = inode, .offset = offset, .length = written,
                         .data = is_single ? &single : (struct iovec *)a[1], .pieces = is_single ? 1 : a[2]});
  }
  end_turn();
  return written;
}

static long on_resize(long nr, const long *a) {
  uint64_t inode = inode_of(a[0]);
  if (!inode) return raw(nr, a[0], a[1], a[2], a[3], a[4]);
  /* Punching holes and other modes: the server does not use them. */
  if (nr == __NR_fallocate && a[1] != 0) return -EOPNOTSUPP;
  take_turn();
  struct stat before, after;
  raw(__NR_fstat, a[0], (long)&before, 0, 0, 0);
  long result = raw(nr, a[0], a[1], a[2], a[3], a[4]);
  raw(__NR_fstat, a[0], (long)&after, 0, 0, 0);
  if (result == 0 && before.st_size != after.st_size)
    put(&(struct change){.kind = RESIZE, .inode = inode, .offset = after.st_size});
  end_turn();
  return result;
}

static long on_sync(long nr, const long *a) {
  struct timespec start, now;
  uint64_t inode = inode_of(a[0]);
  /* This call does not cover changes that begin while the disk is busy. */
  take_turn();
  uint64_t before = number;
  end_turn();
  raw(__NR_clock_gettime, CLOCK_MONOTONIC, (long)&start, 0, 0, 0);
  long result = raw(nr, a[0], 0, 0, 0, 0);
  raw(__NR_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0);
  long left_us = sync_us - (now.tv_sec - start.tv_sec) * 1000000 - (now.tv_nsec - start.tv_nsec) / 1000;
  if (left_us > 0) {
    struct timespec pause = {left_us / 1000000, left_us % 1000000 * 1000};
    raw(__NR_nanosleep, (long)&pause, 0, 0, 0, 0);
  }
  if (inode && result == 0) {
    take_turn();
    put(&(struct change){.kind = SYNC, .inode = inode, .offset = before});
    end_turn();
  }
  return result;
}

static long on_open(int folder, const char *given, long flags, long mode) {
  char path[PATH_MAX];
  if (log_fd < 0 || !resolve(folder, given, path)) return raw(__NR_openat, folder, (long)given, flags, mode, 0);
  take_turn();
  struct stat before, after;
  int existed = raw(__NR_newfstatat, AT_FDCWD, (long)path, (long)&before, 0, 0) == 0;
  long fd = raw(__NR_openat, folder, (long)given, flags, mode, 0);
  if (fd >= 0 && raw(__NR_fstat, fd, (long)&after, 0, 0, 0) == 0) {
    if (!existed) put(&(struct change){.kind = CREATE, .inode = after.st_ino, .path = path});
    else if (before.st_size != after.st_size) put(&(struct change){.kind = RESIZE, .inode = after.st_ino});
  }
  end_turn();
  return fd;
}

static long on_name(int kind, long nr, const long *a, int folder, const char *given) {
  char path[PATH_MAX];
  if (log_fd < 0 || !resolve(folder, given, path)) return raw(nr, a[0], a[1], a[2], a[3], a[4]);
  take_turn();
  long result = raw(nr, a[0], a[1], a[2], a[3], a[4]);
  if (result == 0) put(&(struct change){.kind = kind, .path = path, .inode = kind == MKDIR ? inode_at(path) : 0});
  end_turn();
  return result;
}

/* A rename from outside the folder fails as one between file systems, so that the program copies the file instead. */
static long on_names(int kind, long nr, const long *a, int first, const char *from, int second, const char *onto) {
  char path[PATH_MAX], to[PATH_MAX];
  int is_from = log_fd >= 0 && resolve(first, from, path), is_onto = log_fd >= 0 && resolve(second, onto, to);
  if (is_from != is_onto) return -EXDEV;
  if (!is_from) return raw(nr, a[0], a[1], a[2], a[3], a[4]);
  take_turn();
  long result = raw(nr, a[0], a[1], a[2], a[3], a[4]);
  if (result == 0) put(&(struct change){.kind = kind, .path = path, .to = to});
  end_turn();
  return result;
}

static long dispatch(long nr, const long *a) {
  switch (nr) {
    case __NR_write: case __NR_pwrite64: case __NR_writev: case __NR_pwritev: case __NR_pwritev2:
      return on_write(nr, a);
    case __NR_ftruncate: case __NR_fallocate:
      return on_resize(nr, a);
    case __NR_fsync: case __NR_fdatasync:
      return on_sync(nr, a);
    case __NR_openat:
      return on_open(a[0], (char *)a[1], a[2], a[3]);
    case __NR_unlinkat:
      return on_name(a[2] & AT_REMOVEDIR ? RMDIR : UNLINK, nr, a, a[0], (char *)a[1]);
    case __NR_mkdirat:
      return on_name(MKDIR, nr, a, a[0], (char *)a[1]);
#ifdef __NR_renameat
    case __NR_renameat:
#endif
    case __NR_renameat2:
      return on_names(RENAME, nr, a, a[0], (char *)a[1], a[2], (char *)a[3]);
    case __NR_linkat:
      return on_names(LINK, nr, a, a[0], (char *)a[1], a[2], (char *)a[3]);
#ifdef __x86_64__
    case __NR_open:
      return on_open(AT_FDCWD, (char *)a[0], a[1], a[2]);
    case __NR_creat:
      return on_open(AT_FDCWD, (char *)a[0], O_CREAT | O_WRONLY | O_TRUNC, a[1]);
    case __NR_unlink:
      return on_name(UNLINK, nr, a, AT_FDCWD, (char *)a[0]);
    case __NR_rmdir:
      return on_name(RMDIR, nr, a, AT_FDCWD, (char *)a[0]);
    case __NR_mkdir:
      return on_name(MKDIR, nr, a, AT_FDCWD, (char *)a[0]);
    case __NR_rename:
      return on_names(RENAME, nr, a, AT_FDCWD, (char *)a[0], AT_FDCWD, (char *)a[1]);
    case __NR_link:
      return on_names(LINK, nr, a, AT_FDCWD, (char *)a[0], AT_FDCWD, (char *)a[1]);
#endif
    case __NR_truncate: {
      long fd = raw(__NR_openat, AT_FDCWD, a[0], O_WRONLY | O_CLOEXEC, 0, 0);
      long resize[5] = {fd, a[1]};
      long result = fd < 0 ? fd : on_resize(__NR_ftruncate, resize);
      if (fd >= 0) raw(__NR_close, fd, 0, 0, 0, 0);
      return result;
    }
    case __NR_sendfile: {
      struct stat found;
      if (raw(__NR_fstat, a[0], (long)&found, 0, 0, 0) == 0 && S_ISREG(found.st_mode)) return -EINVAL;
      return raw(nr, a[0], a[1], a[2], a[3], 0);
    }
    case __NR_copy_file_range:
      return -EXDEV;
    case __NR_ioctl:
      return -EOPNOTSUPP;
    default:
      return -ENOSYS;
  }
}

static void on_signal(int signal, siginfo_t *info, void *context) {
  (void)signal;
  ucontext_t *user = context;
#if defined(__x86_64__)
  greg_t *r = user->uc_mcontext.gregs;
  long a[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
  r[REG_RAX] = dispatch(info->si_syscall, a);
#else
  unsigned long long *r = user->uc_mcontext.regs;
  long a[6] = {r[0], r[1], r[2], r[3], r[4], r[5]};
  r[0] = dispatch(info->si_syscall, a);
#endif
}

/* ---- Filter ---- */

#define FIELD(name) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define LET BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define TRAP BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)
#define IF(value, other) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (other))

static struct sock_filter filter[160];
static unsigned short filled;
#define ADD(...) (filter[filled++] = (struct sock_filter)__VA_ARGS__)

static void trap(int nr) { ADD(IF(nr, 1)); ADD(TRAP); }

/* Only if the argument has one of these bits, for opening with creation or truncation. */
static void trap_with_bits(int nr, int argument, unsigned bits) {
  ADD(IF(nr, 4));
  ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * argument));
  ADD(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
  ADD(TRAP);
  ADD(LET);
}

static void trap_with_value(int nr, int argument, unsigned value) {
  ADD(IF(nr, 4));
  ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * argument));
  ADD(IF(value, 1));
  ADD(TRAP);
  ADD(LET);
}

static void trap_changes(void) {
  static const int always[] = {
    __NR_write, __NR_pwrite64, __NR_writev, __NR_pwritev, __NR_pwritev2, __NR_ftruncate, __NR_truncate,
    __NR_fallocate, __NR_unlinkat, __NR_mkdirat, __NR_renameat2, __NR_linkat, __NR_sendfile, __NR_copy_file_range,
    __NR_splice, __NR_openat2, __NR_io_uring_setup,
#ifdef __NR_renameat
    __NR_renameat,
#endif
#ifdef __x86_64__
    __NR_creat, __NR_unlink, __NR_rmdir, __NR_mkdir, __NR_rename, __NR_link,
#endif
  };
  for (size_t i = 0; i < sizeof always / sizeof *always; i++) trap(always[i]);
  trap_with_bits(__NR_openat, 2, O_CREAT | O_TRUNC);
#ifdef __x86_64__
  trap_with_bits(__NR_open, 1, O_CREAT | O_TRUNC);
#endif
  trap_with_value(__NR_ioctl, 1, FICLONE);
}

/* Bun installs a handler for unsupported system calls, which must not replace this one. */
int sigaction(int signal, const struct sigaction *action, struct sigaction *before) {
  static int (*theirs)(int, const struct sigaction *, struct sigaction *);
  if (!theirs) *(void **)&theirs = dlsym(RTLD_NEXT, "sigaction");
  return signal == SIGSYS && filled > 0 ? 0 : theirs(signal, action, before);
}

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

static void fail(const char *what) {
  perror(what);
  _exit(98);
}

__attribute__((constructor)) static void begin(void) {
  const char *us = setting("DISK_SYNC_US"), *folder = setting("DISK_ROOT"), *file = setting("DISK_LOG");
  if (us) sync_us = atol(us);
  if (folder && file) {
    strncpy(root, folder, sizeof root - 1);
    root_length = strlen(root);
    int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    /* A high number: programs close low ones in a loop. */
    log_fd = fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 900);
    if (log_fd < 0) fail("disk shim: log");
    close(fd);
  } else if (!us) return;
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigfillset(&action.sa_mask);
  if (sigaction(SIGSYS, &action, NULL) < 0) fail("disk shim: handler");
  ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * 5));
  ADD(IF(OURS, 1));
  ADD(LET);
  ADD(FIELD(nr));
  trap(__NR_fsync);
  trap(__NR_fdatasync);
  if (log_fd >= 0) trap_changes();
  ADD(LET);
  struct sock_fprog program = {.len = filled, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) fail("disk shim: privileges");
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) fail("disk shim: filter");
}
