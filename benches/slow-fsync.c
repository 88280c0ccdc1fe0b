/* Preloaded, makes every fsync and fdatasync take a millisecond more, as on a disk that is slow to commit. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void wait_a_millisecond(void)
{
    struct timespec left = {.tv_nsec = 1000000};
    while (nanosleep(&left, &left) != 0)
        ;
}

int fsync(int file)
{
    wait_a_millisecond();
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    wait_a_millisecond();
    return (int)syscall(SYS_fdatasync, file);
}
