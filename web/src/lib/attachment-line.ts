const KIND = /^\{"type":"([a-z][a-z0-9_]{0,60})"/

/** What an attachment says in one line: its words, or where it has none, and its text is what the CLI wrote of it, which kind it is. */
export const attachmentLine = (text: string): string => KIND.exec(text)?.[1]?.replaceAll('_', ' ') ?? text
