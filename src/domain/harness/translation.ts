import type { ContentImage } from '../conversation/line-content'
import type { AgentName } from '../ids'

/**
 * What a conversation says, without anything that only its own agent CLI understands: what another CLI needs to go on with it. Thinking
 * is left out: it is signed or encrypted for one provider. All texts are those of people, models and tools; nothing in them is to be run.
 */
export interface NeutralConversation {
  /** In the order in which the model would see them. */
  parts: ConversationPart[]
  leftOut: LeftOut
}

export type ConversationPart =
  /** What a person, a program or the CLI's notice told the model. */
  { kind: 'person'; text: string; images: ContentImage[] } | { kind: 'agent'; text: string } | CallPart

export interface CallPart {
  kind: 'call'
  /** As the source names it; unique in the conversation. */
  id: string
  name: string
  input: unknown
  /** `null` = the record holds none: the run ended before. */
  answer: { text: string; isError: boolean; images: ContentImage[] } | null
}

/** How much of the source is not in a neutral conversation. */
export interface LeftOut {
  /** Pieces of the model's thinking. */
  thinking: number
  /** Texts and answers that were cut because they are too long. */
  cut: number
  /** Answers whose call is not in the conversation. */
  answers: number
}

/** A conversation that another CLI is to go on with. */
export interface TranslationTarget {
  /** The conversation's id with the new CLI. */
  sessionId: string
  origin: TranslationOrigin
  /** Where it goes on. */
  cwd: string
  /** The release of the CLI that reads it; `null` = not known. */
  version: string | null
  /** The model that was asked for, as the CLI names it; `null` = none was. */
  model: string | null
  /** The provider of models that the CLI's settings name (`ConversationWriter.providerIn`); `null` = none. */
  provider: string | null
  /** Milliseconds since the epoch. */
  now: number
}

/** Where a translated conversation comes from: every line that was translated names it. */
export interface TranslationOrigin {
  agent: AgentName
  sessionId: string
  /** As people call the CLI. */
  title: string
}

/**
 * Reads conversations of one agent CLI into a neutral form, and writes neutral ones as transcripts that the CLI resumes by itself. Pure;
 * reading never throws on any bytes.
 */
export interface HarnessTranslation {
  /** The session of whose transcript this one is the continuation, where the file does not repeat it; `null` = it stands alone. */
  baseOf(transcript: Uint8Array): string | null
  /** @param transcripts  bases first, the conversation's own last */
  read(transcripts: readonly Uint8Array[]): NeutralConversation
  /** `null` = conversations are only read: the CLI is given none. */
  readonly writer: ConversationWriter | null
}

/** Writes conversations for one agent CLI. */
export interface ConversationWriter {
  /** The id that a conversation gets there, made of a UUID. Absent = the UUID itself. */
  idOf?(uuid: string): string
  /**
   * The provider of models that the settings in the CLI's configuration folder name: for a CLI that goes on with the one that a transcript
   * names. Looks at the disk; never throws. `null` = they name none.
   */
  providerIn?(root: string): string | null
  /** The main transcript, named as in an export: what `HarnessRun.restore` takes. */
  write(conversation: NeutralConversation, target: TranslationTarget): { name: string; bytes: Uint8Array }
}

/** Bytes of transcripts that are translated at once; what is larger is continued by its summary. */
export const TRANSLATED_BYTES = 256 * 1_024 * 1_024

/** The note to the model at the head of a translated conversation. */
export const translationNote = ({ title, sessionId }: TranslationOrigin): string =>
  `[This conversation began in ${title}, as session ${sessionId}, and continues here. Its tools and their results are shown as they were ` +
  'there. Tools of the same names may be missing here, or may take other input: use the tools that you have now.]'

/** The conversation up to its last finished turn: what a copy begins with while the original is still at work. */
export function upToLastTurn({ parts, leftOut }: NeutralConversation): NeutralConversation {
  const at = parts.findLastIndex(
    ({ kind }, index) => kind === 'agent' && (parts[index + 1]?.kind ?? 'person') === 'person',
  )
  return { parts: parts.slice(0, at + 1), leftOut }
}
