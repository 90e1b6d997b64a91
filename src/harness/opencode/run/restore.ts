import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { CliPlace, CliProgram } from '../../../domain/harness/harness-run'
import { clip } from '../../json-lines/text'
import { hasSession } from '../rows/has-session'
import { importableDocument } from '../rows/importable'

/** How long the CLI may take for one conversation, in milliseconds: it starts for each. */
const IMPORT_MS = 120_000

/**
 * Has the CLI take conversations back, by `opencode import`: those that it does not have, a session before its sub-agents. It puts them into
 * the folder that it is started in. It loads no plugin for that (1.18).
 *
 * @param files  journals of rows, or documents as a translation writes them
 * @throws `invalid` a file holds no conversation, or the CLI does not take it
 */
export async function restore(
  { root, cwd }: CliPlace,
  sessionId: string,
  files: AsyncIterable<{ name: string; bytes: Uint8Array }>,
  program: CliProgram,
): Promise<void> {
  const parts = new Map<string, Uint8Array[]>()
  for await (const { name, bytes } of files) parts.set(name, [...(parts.get(name) ?? []), bytes])
  const documents = [...parts].map(([name, bytes]) => documentIn(name, Buffer.concat(bytes)))
  if (!documents.some(({ session }) => session === sessionId))
    throw new AppError('invalid', `The conversation ${sessionId} has no rows to restore.`)
  const wanted = documents.filter(({ session }) => !hasSession(root, session))
  const folder = mkdtempSync(join(tmpdir(), 'lodeline-'))
  try {
    for (const { session, bytes } of wanted.sort(
      (a, b) => Number(b.session === sessionId) - Number(a.session === sessionId),
    )) {
      const path = join(folder, `${session}.json`)
      writeFileSync(path, bytes, { mode: 0o600 })
      const said = await importFile(program, cwd, path)
      if (!hasSession(root, session))
        throw new AppError('invalid', `opencode did not take the conversation ${session}: ${clip(said, 300)}.`, {
          hint: `Export it with 'lode session export ${session}', then run 'opencode import' on the exported file.`,
        })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @throws `invalid` the file is none of a session */
function documentIn(name: string, bytes: Uint8Array): { session: string; bytes: Uint8Array } {
  const [, session, kind] = /^(ses_[A-Za-z0-9]{1,100})\.(jsonl|json)$/.exec(basename(name)) ?? []
  const document = kind === 'json' ? bytes : kind === 'jsonl' ? importableDocument(bytes) : null
  if (session !== undefined && document !== null) return { session, bytes: document }
  throw new AppError('invalid', `${JSON.stringify(name.slice(0, 200))} holds no session of opencode.`, {
    hint: 'Files are the journals of an export.',
  })
}

/** @returns what the CLI said: it ends with 0 also where it takes nothing */
function importFile({ path: executable, env }: CliProgram, cwd: string, path: string): Promise<string> {
  return new Promise((resolve) => {
    // It takes its working directory from PWD.
    const options = { cwd, env: { ...env, PWD: cwd }, timeout: IMPORT_MS, killSignal: 'SIGKILL' as const }
    execFile(executable, ['import', path], options, (error, stdout, stderr) =>
      resolve(`${stdout} ${stderr} ${error?.message ?? ''}`.replace(/\s+/g, ' ').trim()),
    )
  })
}
