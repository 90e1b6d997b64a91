import Markdown, { type MarkdownToJSX, RuleType } from 'markdown-to-jsx'
import type { ReactNode } from 'react'
import { visibleText } from '../../lib/visible-text'
import { OutsideLink } from './outside-link'

/** Longer texts are shown as they are: parsing them would hold the page up. */
const MAX_CHARACTERS = 60_000

/** Markdown of an agent or a stranger. Raw markup stays text, links are asked about, pictures from elsewhere are named and not loaded. */
export function AgentMarkdown({ text }: { text: string }) {
  const shown = visibleText(text)
  if (shown.length > MAX_CHARACTERS) return <div className="font-mono text-xs whitespace-pre-wrap">{shown}</div>
  return (
    <div dir="auto" className="prose-agent">
      <Markdown options={OPTIONS}>{shown}</Markdown>
    </div>
  )
}

const OPTIONS = {
  disableParsingRawHTML: true,
  disableAutoLink: false,
  forceBlock: true,
  wrapper: 'div' as const,
  // The default drops what it takes for dangerous and lets all else be a link; which links there are is decided in one place.
  sanitizer: (value: string) => value,
  slugify: () => '',
  // Names and numbers of characters are read by the parser, and may stand for hidden ones.
  renderRule: (next: () => ReactNode, node: MarkdownToJSX.ASTNode) =>
    node.type === RuleType.text ? visibleText(node.text) : next(),
  overrides: {
    a: ({ href, children }: { href?: string; children?: ReactNode }) => (
      <OutsideLink href={href ?? ''}>{children}</OutsideLink>
    ),
    img: ({ src, alt }: { src?: string; alt?: string }) => (
      <OutsideLink href={src ?? ''}>[picture{alt ? `: ${alt}` : ''}]</OutsideLink>
    ),
    iframe: () => null,
    // A wide one scrolls, by keys as well.
    table: ({ children }: { children?: ReactNode }) => (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached
      <table tabIndex={0}>{children}</table>
    ),
    input: ({ checked }: { checked?: boolean }) => <span>{checked ? '☑ ' : '☐ '}</span>,
  },
}
