import type { EventId } from '#domain/ids'
import { CommandLine } from '../../../components/ui/id-chip'
import { bytesInWords } from '../../../lib/format'
import { visibleText } from '../../../lib/visible-text'
import { useSession } from '../page/session-context'
import { Patch } from '../patch/patch'
import { CallInput } from './call-input'
import type { Block, Content } from './use-content'
import { CodeText, WholeText } from './whole-text'

interface ContentViewProps {
  content: Content
  isMarkdown?: boolean
  /** Whether the result below shows the file change with its line numbers, so that it is omitted here. */
  isPatchBelow?: boolean
}

/** The full content of a line. */
export function ContentView({ content, isMarkdown = false, isPatchBelow = false }: ContentViewProps) {
  const { id } = useSession()
  const hasPatch = content.blocks.some(({ kind }) => kind === 'patch')
  const blocks = content.blocks.filter(({ kind }) => !isPatchBelow || kind !== 'patch')
  return (
    <div className="flex flex-col gap-2">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a line have no other name, and never move
        <BlockView key={index} block={block} event={content.eventId} isMarkdown={isMarkdown} hasPatch={hasPatch} />
      ))}
      {content.isCut ? (
        <p className="flex flex-wrap items-center gap-2 text-xs text-ink-3">
          This line is too long to be shown here. To see all of it, run:
          <CommandLine command={`lode event show ${content.eventId} --session ${id}`} />
        </p>
      ) : null}
    </div>
  )
}

/** Characters of an unknown block's JSON that are shown. */
const MAX_JSON_CHARACTERS = 20_000

interface BlockViewProps {
  block: Block
  event: EventId
  isMarkdown: boolean
  hasPatch: boolean
}

function BlockView({ block, event, isMarkdown, hasPatch }: BlockViewProps) {
  switch (block.kind) {
    case 'text':
      return <WholeText text={block.text} event={event} isMarkdown={isMarkdown} />
    case 'thinking':
      return <WholeText text={block.text} event={event} />
    case 'call':
      return <CallInput input={block.input} event={event} hasPatch={hasPatch} />
    case 'answer':
      return (
        <>
          {block.text === '' ? null : <WholeText text={block.text} event={event} />}
          {block.images.map((image, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pictures of an answer have no other name
            <Picture key={index} {...image} />
          ))}
        </>
      )
    case 'patch':
      return <Patch path={block.path} hunks={block.hunks} />
    case 'image':
      return <Picture {...block} />
    case 'other':
      return (
        <div>
          <p className="text-xs text-ink-3">{visibleText(block.name)}</p>
          <CodeText text={block.json.slice(0, MAX_JSON_CHARACTERS)} />
        </div>
      )
  }
}

/** Picture formats that cannot contain scripts, unlike SVG. */
const SAFE_PICTURE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** A picture of a line, or its type and size if it is not a safe format. */
export function Picture({ mediaType, base64 }: { mediaType: string; base64: string }) {
  const isPicture = SAFE_PICTURE_TYPES.has(mediaType) && /^[A-Za-z0-9+/=\s]*$/.test(base64)
  const size = bytesInWords(Math.floor((base64.length * 3) / 4))
  if (!isPicture)
    return (
      <p className="text-xs text-ink-3">
        [Picture not shown: {visibleText(mediaType)}, {size}]
      </p>
    )
  const kind = mediaType.slice('image/'.length).toUpperCase()
  return (
    <img
      src={`data:${mediaType};base64,${base64}`}
      alt={`${kind} of ${size} that the agent saw`}
      className="max-h-96 max-w-full self-start rounded border border-line"
    />
  )
}
