import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { AppError } from '../../domain/errors'
import { usageError } from '../kit/arguments/parse-args'
import type { Context } from '../kit/context'
import { bytes } from '../print/measures'
import { oneLine } from '../print/text'
import { maskedLines } from '../views/session/document-view'
import { rangeOf } from './range-options'

interface DocumentOptions {
  html: boolean
  md: boolean
  to: string | undefined
  from?: string | undefined
  until?: string | undefined
  force: boolean
  incarnation?: number | undefined
  /** The other session of a comparison. */
  beside?: string
}

/** Writes a session, or two that are compared, as one file of HTML or Markdown, and says what is masked in it. */
export async function exportDocument(context: Context, id: string, options: DocumentOptions): Promise<undefined> {
  const { html, md, to, force, beside } = options
  if (html && md) throw usageError(context.path)('Use either --html or --md, not both.')
  if (options.incarnation !== undefined)
    throw usageError(context.path)('--incarnation goes with the files of a session.')
  const client = await context.client()
  const made = await client.sessions.document(id, {
    ...{ format: html ? 'html' : 'md', ...rangeOf(options) },
    ...(beside !== undefined && { besideId: beside }),
  })
  const { name, text, masked, turns, isCut } = made
  const folder = resolve(context.io.cwd, to ?? '.')
  const file = join(folder, name)
  await mkdir(folder, { recursive: true })
  await writeFile(file, text, { flag: force ? 'w' : 'wx', mode: 0o600 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new AppError('conflict', `${oneLine(file)} exists already; nothing was written.`, {
      hint: 'Replace it with --force.',
    })
  })
  const size = Buffer.byteLength(text)
  context.answer(
    { file, bytes: size, turns, masked, isCut },
    () => `${oneLine(file)}\n${turns} turns, ${bytes(size)}\n`,
  )
  if (context.globals.isJson) return undefined
  for (const line of maskedLines(masked)) context.note(line)
  if (isCut) context.note('the rest did not fit; write it to another file with --from.')
  return undefined
}
