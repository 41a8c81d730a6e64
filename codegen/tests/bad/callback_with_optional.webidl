/// Told.
/// @param a  Number.
callback Told = undefined (optional long a = 1);
