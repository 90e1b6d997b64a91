/**
 * Text of agents and people, given to an agent as data. It stands in a fence that it can't close, on a line of its own, with
 * nothing in it that a terminal, a reader or the agent's CLI would take for something else.
 */

/** Tags by which agent CLIs tell their own words from others': a text that holds one could pass for the CLI. */
const CLI_TAGS =
  /<(?=\/?\s*(?:system-reminder|system|task-notification|user-prompt-submit-hook|command-\w+|local-command-\w+)\b)/gi

/**
 * Characters that are not what they look like: controls (but newline and tab), what turns the direction of writing or has no
 * width (but the joiners, which scripts and emoji need), line separators that are no newline, halves of a pair.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Cs}|[\u{e0000}-\u{e007f}]/gu

/** Makes hidden characters visible (`\u{1b}`), and the CLI's own tags plain text. */
export function showHidden(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(HIDDEN, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(CLI_TAGS, '&lt;')
}

export interface Cut {
  text: string
  /** Characters of the original that are not in it. */
  left: number
}

/**
 * The beginning of a text, shown safely, in at most `room` characters. No pair is split. An ellipsis says that it was cut: by it half a
 * secret is known, too.
 */
export function cut(text: string, room: number): Cut {
  const whole = fit(text, room)
  if (whole.left === 0 || room <= 0) return whole
  const { text: part, left } = fit(text, room - 1)
  return { text: `${part}…`, left }
}

function fit(text: string, room: number): Cut {
  if (room <= 0) return { text: '', left: text.length }
  // What can't be shown need not be looked at: a text may have 500,000 characters.
  let part = head(text, room)
  let shown = showHidden(part)
  while (shown.length > room) {
    part = head(part, part.length - Math.max(1, Math.ceil((shown.length - room) / MAX_GROWTH)))
    shown = showHidden(part)
  }
  return { text: shown, left: text.length - part.length }
}

/** The number of characters that show one hidden character. */
const MAX_GROWTH = '\\u{e007f}'.length

function head(text: string, length: number): string {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

/** A text in a fence of its own lines, in at most `room` characters with the fence; what was cut is counted. */
export function quote(text: string, room: number): Cut {
  const clean = text.trim()
  let shown = cut(clean, room - 2 * MIN_FENCE - 2)
  for (;;) {
    const fence = fenceFor(shown.text)
    const whole = `${fence}\n${shown.text}\n${fence}`
    if (whole.length <= room || shown.text === '') return { text: whole, left: shown.left }
    shown = cut(clean, Math.min(shown.text.length - 1, room - 2 * fence.length - 2))
  }
}

const MIN_FENCE = 3

/** Longer than any run of backticks inside. */
function fenceFor(text: string): string {
  let longest = MIN_FENCE - 1
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return '`'.repeat(longest + 1)
}

/** A text on one line between quotation marks, at most `limit` characters inside; an ellipsis says that it was cut. */
export function inline(text: string, limit: number): string {
  const line = text
    .slice(0, limit * 4)
    .replace(/\s+/g, ' ')
    .trim()
    .replaceAll('"', '\u2033')
  const shown = fit(line, limit)
  return `"${shown.text}${shown.left > 0 || text.length > limit * 4 ? '…' : ''}"`
}
