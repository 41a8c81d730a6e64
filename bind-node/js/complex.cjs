'use strict';
// Complex numbers: objects with the numbers `re` and `im` and nothing else, whoever made them.

/** The real and the imaginary part of a complex number; undefined for anything else. */
function parts(object) {
  const names = Object.keys(object);
  if (names.length !== 2 || !names.includes('re') || !names.includes('im')) return undefined;
  const { re, im } = object;
  return typeof re === 'number' && typeof im === 'number' ? [re, im] : undefined;
}

module.exports = { parts };
