/** A piece of HTML that was made here. Nothing else stands in a document as it is. */
export class Markup {
  readonly text: string
  private constructor(text: string) {
    this.text = text
  }

  /** @param parts  each is markup, or a text whose every sign stands for itself */
  static of(strings: TemplateStringsArray, parts: readonly Part[]): Markup {
    return new Markup(strings.reduce((text, string, at) => text + markupOf(parts[at - 1] ?? '') + string))
  }

  /** For text that is trusted because it stands in our source. */
  static ownText(text: string): Markup {
    return new Markup(text)
  }
}

type Part = Markup | string | number | readonly Markup[]

/** HTML whose parts are escaped, but for markup that was made in the same way. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup => Markup.of(strings, parts)

function markupOf(part: Part): string {
  if (part instanceof Markup) return part.text
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part))
  return part.map(({ text }) => text).join('')
}

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeText = (text: string): string => text.replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign)
