/**
 * The text of a line with a call. Some agent CLIs write what the model said and what it calls as one line: the words stand before the name of
 * the tool, and behind it what it was asked.
 *
 * @param name  the tool's; `null` = unknown
 */
export function callParts(text: string, name: string | null): { said: string; asked: string } {
  const lines = text.split('\n')
  const at = name === null ? -1 : lines.indexOf(name)
  return at === -1
    ? { said: '', asked: text }
    : { said: lines.slice(0, at).join('\n').trim(), asked: lines.slice(at + 1).join('\n') }
}
