import { parseSpan } from '../print/moments'

/** The option `--expires`, as requests have it. @throws `invalid` */
export const spanOption = (text: string | undefined): { expiresInMs?: number } =>
  text === undefined ? {} : { expiresInMs: parseSpan('--expires', text) }
