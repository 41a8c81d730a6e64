/// Tensors that cross language borders without a copy.
namespace tenspan {
  /// Version of the library, such as `0.1.0`.
  DOMString version();
  /// Limits the threads that long work is spread over.
  /// @param n  Threads; 0 for one per core.
  [Throws] undefined setNumThreads(unsigned long n);
  /// Threads that long work is spread over.
  unsigned long getNumThreads();
};
