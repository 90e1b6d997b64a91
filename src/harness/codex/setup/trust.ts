import { chmodSync, statSync } from 'node:fs'
import type { HookRow } from '../../../domain/harness/harness-setup'
import { isOurs } from '../../hook-settings/own-command'
import { isRecord, listOf, recordOf, textOf } from '../../json-lines/json-value'
import type { AppServer } from './app-server'

/** A hook as the CLI lists it. */
export interface ListedHook {
  /** Where its trust is kept: file, event and place in the file. */
  key: string
  /** The hash of what it does. */
  hash: string
  event: string
  command: string
  isTrusted: boolean
}

/**
 * Hooks of a file. The CLI runs none that nobody trusts, and says nothing of it; it keeps the trust in `config.toml`, under the place of
 * the hook in its file.
 *
 * @param path  `hooks.json`, as the CLI finds it
 */
export async function listHooks({ ask }: AppServer, path: string, cwd: string): Promise<ListedHook[]> {
  const answer = recordOf(await ask('hooks/list', { cwds: [cwd] }))
  return listOf(answer?.data)
    .flatMap((entry) => listOf(recordOf(entry)?.hooks))
    .filter(isRecord)
    .filter(({ sourcePath }) => sourcePath === path)
    .map(({ key, currentHash, eventName, command, trustStatus }) => ({
      key: textOf(key) ?? '',
      hash: textOf(currentHash) ?? '',
      event: textOf(eventName) ?? '',
      command: textOf(command) ?? '',
      isTrusted: trustStatus === 'trusted' || trustStatus === 'managed',
    }))
    .filter(({ key, hash }) => key !== '' && hash !== '')
}

/** Our rows that the CLI would skip. */
export const untrustedRows = (listed: readonly ListedHook[], rows: readonly HookRow[]): HookRow[] =>
  rows.filter((row) => !listed.some((hook) => hook.isTrusted && isRow(hook, row)))

const isRow = (hook: ListedHook, row: HookRow): boolean =>
  hook.command === row.command && hook.event.toLowerCase() === row.event.toLowerCase()

/**
 * Brings the trust up to date after the file has changed: ours is trusted, what a person had trusted stays so at its new place, and of
 * what is gone nothing is left.
 *
 * @param config  `config.toml`
 * @param before  the hooks before the change
 */
export async function keepTrust(
  server: AppServer,
  config: string,
  before: readonly ListedHook[],
  now: readonly ListedHook[],
): Promise<void> {
  const wasTrusted = (hook: ListedHook) =>
    before.some((old) => old.isTrusted && old.event === hook.event && old.hash === hook.hash)
  const trusted = now.filter((hook) => !hook.isTrusted && (isOurs(hook.command) || wasTrusted(hook)))
  const gone = before.filter((old) => old.isTrusted && !now.some(({ key }) => key === old.key))
  const edits = [
    ...gone.map(({ key }) => ({ keyPath: stateOf(key), value: null, mergeStrategy: 'replace' })),
    ...trusted.map(({ key, hash }) => ({
      keyPath: `${stateOf(key)}.trusted_hash`,
      value: hash,
      mergeStrategy: 'upsert',
    })),
  ]
  if (edits.length === 0) return
  const mode = modeOf(config)
  await server.ask('config/batchWrite', { edits })
  // The CLI writes it for its owner alone.
  if (mode !== null && modeOf(config) !== mode) chmodSync(config, mode)
}

const modeOf = (path: string): number | null => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? null : stat.mode & 0o777
}

/** A key holds a path: it stands in quotes. */
const stateOf = (key: string): string => `hooks.state.${JSON.stringify(key)}`
