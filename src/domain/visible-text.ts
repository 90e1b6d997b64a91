/**
 * Makes hidden characters visible in text of agents and strangers: control characters as their symbols (U+2400…), and characters without
 * width or with an effect on text direction as their number. Line breaks and tabs stay. This does not make markup safe: React does, because
 * it never treats text as markup.
 */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (one) => {
    const code = one.codePointAt(0) ?? 0
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    if (code === 0x7f) return '\u2421'
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}

// Control characters except tab, line feed and carriage return; soft hyphen, direction marks, zero width, tags, and lone surrogates.
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: to find them is the purpose
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu
