import Markdown, { type MarkdownToJSX, RuleType } from 'markdown-to-jsx'
import type { ReactNode } from 'react'
import { visibleText } from '../../lib/visible-text'
import { CodeBlock } from './code-block'
import { OutsideLink } from './outside-link'

/** Longer texts are shown as plain text: parsing them would block the page. */
const MAX_CHARACTERS = 60_000

/** Markdown of an agent or a stranger. Raw HTML stays text, links ask before they open, and external pictures are named instead of loaded. */
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
  // The default drops only some dangerous links. `OutsideLink` alone decides which links there are.
  sanitizer: (value: string) => value,
  slugify: () => '',
  // The parser decodes entities, which may stand for hidden characters.
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
    // A wide table scrolls, also by keys.
    table: ({ children }: { children?: ReactNode }) => (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached
      <table tabIndex={0}>{children}</table>
    ),
    code: ({ className = '', children }: { className?: string; children?: ReactNode }) => {
      const [, word] = /(?:^|\s)lang-(\S+)/.exec(className) ?? []
      return word === undefined || typeof children !== 'string' ? (
        <code>{children}</code>
      ) : (
        <CodeBlock text={children} word={word} />
      )
    },
    input: ({ checked }: { checked?: boolean }) => <span>{checked ? '☑ ' : '☐ '}</span>,
  },
}
