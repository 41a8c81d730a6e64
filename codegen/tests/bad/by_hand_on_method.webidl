/// A thing.
interface Thing {
  /// Moves it.
  [Python="(way: str) -> None"] undefined move();
};
