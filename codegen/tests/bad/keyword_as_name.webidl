/// A thing.
interface Thing {
  /// Whether writing is refused.
  readonly attribute boolean readonly;
};
