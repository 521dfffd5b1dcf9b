/** A copy with a value set for some keys, or without them. */
export function withValues(
  record: Record<string, string>,
  keys: readonly string[],
  value: string | null
): Record<string, string> {
  const copy = { ...record };
  for (const key of keys) {
    if (value === null) {
      delete copy[key];
    } else {
      copy[key] = value;
    }
  }
  return copy;
}
