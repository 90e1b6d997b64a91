/**
 * Whether a pattern fits a whole text; `*` stands for any characters. Linear time per star: a hostile text can't make it slow, as a
 * regular expression could be.
 */
export function glob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === text
  if (!text.startsWith(first)) return false
  const last = rest.pop() ?? ''
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
