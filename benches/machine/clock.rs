//! The clock of a thread: time of other processes on the same core does not count.

/// Nanoseconds that this thread has run.
#[cfg(unix)]
pub fn thread_time() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock writes one `timespec`, and this is one.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Nanoseconds since the first call: this system's clock of a thread is not known here.
#[cfg(not(unix))]
pub fn thread_time() -> f64 {
    use std::{sync::OnceLock, time::Instant};
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as f64
}
