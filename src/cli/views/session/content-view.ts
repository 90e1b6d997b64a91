import type { ContentBlock } from '../../../domain/conversation/line-content'
import { bytes } from '../../print/measures'
import { block, oneLine } from '../../print/text'

/** What a line holds, each part under a heading in brackets, made safe for the terminal. */
export function contentView({ blocks, isCut }: { blocks: readonly ContentBlock[]; isCut: boolean }): string {
  const parts = blocks.map((each) => `\n${partOf(each)}\n`)
  return parts.join('') + (isCut ? '\n(cut; --json shows the whole line)\n' : '')
}

function partOf(part: ContentBlock): string {
  switch (part.kind) {
    case 'text':
      return words(part.text)
    case 'thinking':
      return headed('thinking', part.text)
    case 'call':
      return headed(`call ${part.name} ${part.toolUseId}`, inputOf(part.input))
    case 'answer':
      return headed(
        `${part.isError ? 'error' : 'answer'} to ${part.toolUseId}`,
        [part.text, ...part.images.map(imageOf)].filter((text) => text !== '').join('\n'),
      )
    case 'patch':
      return headed(`patch ${part.path}`, part.hunks.map(hunkOf).join('\n'))
    case 'image':
      return imageOf(part)
    case 'other':
      return headed(part.name, part.json)
  }
}

function headed(heading: string, text: string): string {
  const body = words(text)
  return body === '' ? `[${oneLine(heading)}]` : `[${oneLine(heading)}]\n${body}`
}

const words = (text: string): string => block(text).trimEnd()

/** One field a line; a text of several lines begins below its name. */
function inputOf(input: unknown): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return JSON.stringify(input) ?? ''
  return Object.entries(input)
    .map(([name, value]: [string, unknown]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return text.includes('\n') ? `${name}:\n${text.replace(/^/gm, '  ')}` : `${name}: ${text}`
    })
    .join('\n')
}

/** Three quarters of base64 are bytes. */
const imageOf = ({ mediaType, base64 }: { mediaType: string; base64: string }): string =>
  `[${oneLine(mediaType)}, ${bytes(Math.floor((base64.length * 3) / 4))}]`

function hunkOf({
  oldStart,
  newStart,
  lines,
}: {
  oldStart: number
  newStart: number
  lines: readonly string[]
}): string {
  const old = lines.filter((line) => !line.startsWith('+')).length
  const now = lines.filter((line) => !line.startsWith('-')).length
  const place = oldStart === 0 && newStart === 0 ? '@@' : `@@ -${oldStart},${old} +${newStart},${now} @@`
  return [place, ...lines].join('\n')
}
