/** Bytes of JSON that the blocks of one line may take in an answer. */
export const CONTENT_BYTES = 4_000_000

/** Bytes of the longest line that is taken apart: parsing a longer one would hold up the process for a good part of a second. It is shown as it begins. */
export const PARSED_LINE_BYTES = 16 * 1_024 * 1_024

/** An image that a browser may show: its type is one of these. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

export interface ContentImage {
  /** One of `IMAGE_TYPES`. */
  mediaType: string
  base64: string
}

/** A changed place of a file. */
export interface PatchHunk {
  /** First line, 1 = the file's first; 0 = not known, or of a side that is empty. */
  oldStart: number
  newStart: number
  /** Each begins with ' ', '+' or '-'. */
  lines: string[]
}

/** A part of a line. Its texts are an agent's or a tool's, and nothing in them is to be run. */
export type ContentBlock =
  | { kind: 'text'; text: string }
  /** The text is empty where only the model's provider can read it. */
  | { kind: 'thinking'; text: string }
  | { kind: 'call'; toolUseId: string; name: string; input: unknown }
  | { kind: 'answer'; toolUseId: string; isError: boolean; text: string; images: ContentImage[] }
  /** What a call changed in a file; beside a call, what it is to change. */
  | { kind: 'patch'; path: string; hunks: PatchHunk[] }
  | { kind: 'image'; mediaType: string; base64: string }
  /** Anything else, as JSON; where the line is none, as it is. */
  | { kind: 'other'; name: string; json: string }

/** What a line holds. `isCut`: something is left out, as it would have been too much, or is no text and no image to be shown. */
export interface LineContent {
  blocks: ContentBlock[]
  isCut: boolean
}
