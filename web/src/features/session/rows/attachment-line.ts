/** The start of an attachment that is only JSON of the CLI. */
const KIND = /^\{"type":"([a-z][a-z0-9_]{0,60})"/

/** Describes an attachment in one line: its text, or its kind if the text is only JSON of the CLI. */
export const attachmentLine = (text: string): string => KIND.exec(text)?.[1]?.replaceAll('_', ' ') ?? text
