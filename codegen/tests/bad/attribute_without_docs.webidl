/// A thing.
interface Thing {
  readonly attribute long one;
};
