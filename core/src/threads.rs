//! The threads that long work is spread over.
//!
//! One pool, made at first use and again when the limit changes or the process has forked: the threads of a
//! pool do not exist in a child, and waiting for them would never end.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, ErrorKind, Result};

/// Work that is handed to a thread at once, at most: some 10 µs. The unit of work is moving one element through
/// memory, as copying and decoding do; what else is done to an element counts as so many moves.
pub(crate) const SHARE: u64 = 1 << 16;

/// Less than this is not worth the handing out.
const LEAST_SHARE: u64 = SHARE / 4;

/// Work below which all stays on the calling thread.
const WORTH_SPREADING: u64 = 2 * SHARE;

/// Shares for each thread, if there is work for them: who was held up leaves the last ones to the others.
const SHARES: u64 = 4;

/// Elements that kernels handle at once at most: two blocks of 256, or sixteen of 32.
const SIDE_BY_SIDE: u64 = 512;

/// Most threads that can be asked for.
const MOST: u32 = 1024;

/// As the user set it; 0 for one per core. Changes under the lock of the pool.
static LIMIT: AtomicU32 = AtomicU32::new(0);

/// The pool, and the process that made it.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Limits the threads that long work is spread over; 0 for one per core.
///
/// # Errors
/// [`ErrorKind::ValueError`] for more than 1024.
pub fn set_num_threads(n: u32) -> Result<()> {
    if n > MOST {
        return Err(Error::new(
            ErrorKind::ValueError,
            format!("at most {MOST} threads can be used, {n} were asked for"),
        ));
    }
    if LIMIT.load(Ordering::Relaxed) != n {
        let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        LIMIT.store(n, Ordering::Relaxed);
        forget(pool.take());
    }
    Ok(())
}

/// Threads that long work is spread over.
pub fn get_num_threads() -> u32 {
    match LIMIT.load(Ordering::Relaxed) {
        0 => cores(),
        limit => limit,
    }
}

/// Cores that this process may use. Asked for once: the system is asked through files, and every piece of work wants to know.
fn cores() -> u32 {
    static CORES: OnceLock<u32> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, |n| n.get() as u32))
}

/// Runs what makes up so much work: in the pool when it is worth it, here otherwise.
pub(crate) fn run<R: Send>(work: u64, job: impl FnOnce() -> R + Send) -> R {
    if work < WORTH_SPREADING || get_num_threads() == 1 || rayon::current_thread_index().is_some() {
        return job();
    }
    match pool() {
        Some(pool) => pool.install(job),
        None => job(),
    }
}

/// How much of so much work a thread takes at a time, such that all threads get some.
pub(crate) fn share(work: u64) -> u64 {
    (work / (SHARES * u64::from(get_num_threads()))).clamp(LEAST_SHARE, SHARE)
}

/// As [`share`], in elements of which each costs `cost`: never 0, and whole blocks of every format, as many as the
/// widest kernel encodes side by side.
pub(crate) fn share_of_elements(elements: u64, cost: u64) -> u64 {
    (share(elements.saturating_mul(cost)) / cost.max(1))
        .max(1)
        .next_multiple_of(SIDE_BY_SIDE)
}

/// The pool of this process; `None` when the system refuses threads.
fn pool() -> Option<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut made = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((owner, pool)) = &*made
        && *owner == process
    {
        return Some(Arc::clone(pool));
    }
    forget(made.take());
    let builder = ThreadPoolBuilder::new()
        .num_threads(get_num_threads() as usize)
        .thread_name(|i| format!("tenspan-{i}"));
    let pool = Arc::new(builder.build().ok()?);
    *made = Some((process, Arc::clone(&pool)));
    Some(pool)
}

/// Lets go of a pool; one of a parent process is left alone, since its threads are not here to be ended.
fn forget(pool: Option<(u32, Arc<ThreadPool>)>) {
    if let Some((owner, pool)) = pool
        && owner != std::process::id()
    {
        std::mem::forget(pool);
    }
}

/// Whether rayon would use a pool that was chosen, not its global one, which ignores the limit on threads.
pub(crate) fn in_a_pool() -> bool {
    rayon::current_thread_index().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_kept_and_an_absurd_one_refused() {
        set_num_threads(2).unwrap();
        assert_eq!(get_num_threads(), 2);
        let inside = run(WORTH_SPREADING, rayon::current_num_threads);
        assert_eq!(inside, 2);
        // Both threads get some of what is barely worth it, and of few elements that cost much.
        assert!(WORTH_SPREADING / share(WORTH_SPREADING) >= 8);
        assert_eq!(share_of_elements(1 << 30, 1), SHARE);
        assert_eq!(share_of_elements(4096, 300), 512);
        assert_eq!(share_of_elements(u64::MAX, u64::MAX), 512);
        assert_eq!(
            set_num_threads(MOST + 1).unwrap_err().kind(),
            ErrorKind::ValueError
        );
        set_num_threads(0).unwrap();
        assert!(get_num_threads() >= 1);
    }
}
