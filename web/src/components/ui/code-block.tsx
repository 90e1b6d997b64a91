import { Fragment, useMemo, useRef } from 'react'
import { languageOfFence } from '../../lib/code/languages'
import { useColours } from '../../lib/code/use-colours'
import { useSeen } from '../../lib/use-seen'
import { CodeLine } from './code-line'

/** Code in the text of an agent, in the colours of the language that its fence names. */
export function CodeBlock({ text, word }: { text: string; word: string }) {
  const block = useRef<HTMLElement>(null)
  const isSeen = useSeen(block)
  const lines = useMemo(() => text.split('\n'), [text])
  const blocks = useMemo(() => [lines], [lines])
  const coloursAt = useColours(languageOfFence(word), blocks, isSeen)
  return (
    <code ref={block}>
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
        <Fragment key={at}>
          {at === 0 ? '' : '\n'}
          <CodeLine text={line} runs={coloursAt(0, at)} />
        </Fragment>
      ))}
    </code>
  )
}
