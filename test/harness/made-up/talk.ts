/** The files of the made-up agent CLI: lines of fields between tabs, no JSON, in `<root>/talks/<id>.talk`. */

/** What a line is. `begin` names the talk, its folder and the one that it is a copy of. */
export type Part = 'begin' | 'person' | 'agent' | 'tool' | 'rest'

export interface TalkLine {
  /** ISO 8601. */
  at: string
  uuid: string
  part: Part
  text: string
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n')

const plain = (text: string): string =>
  text.replace(/\\(.)/g, (_, letter: string) => (letter === 't' ? '\t' : letter === 'n' ? '\n' : letter))

export const talkLine = ({ at, uuid, part, text }: TalkLine): string => `${at}\t${uuid}\t${part}\t${escaped(text)}\n`

export const newLine = (part: Part, text: string): string =>
  talkLine({ at: new Date().toISOString(), uuid: crypto.randomUUID(), part, text })

const PARTS: readonly string[] = ['begin', 'person', 'agent', 'tool', 'rest'] satisfies Part[]

/** `null` = it is no line of a talk. */
export function readTalkLine(line: string): TalkLine | null {
  const [at = '', uuid = '', part = '', ...text] = line.split('\t')
  if (Number.isNaN(Date.parse(at)) || uuid.length !== 36 || !PARTS.includes(part)) return null
  return { at, uuid, part: part as Part, text: plain(text.join('\t')) }
}

/** The fields of a `begin`; the last one is '' unless the talk is a copy. */
export function beginOf({ text }: TalkLine): { id: string; cwd: string; copyOf: string } {
  const [id = '', cwd = '', copyOf = ''] = text.split('\n')
  return { id, cwd, copyOf }
}

export const beginText = (id: string, cwd: string, copyOf = ''): string => [id, cwd, copyOf].join('\n')

/** First word of a run's output. */
export const SPEECH = 'MADE-UP/1'

/** A prompt that holds this is worked on step by step, … */
export const TICK = 'Tick for '
/** … and answered with this. */
export const TICKED = 'All ticks are done.'

/** In the CLI's folder: a line of JSON for each time that it was called. */
export const SHOWN_FILE = 'shown.jsonl'

export interface ShownLine {
  attempt?: string
  session: string
  said: { part: Part; text: string }[]
  prompt: string
}
