import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../../domain/errors'
import {
  HOOKS_ALONE,
  type HookRow,
  type SetupCheck,
  type SetupCli,
  type SetupOptions,
  type SetupOutcome,
} from '../../../domain/harness/harness-setup'
import { addRows, ownRows, removeRows } from '../../hook-settings/hook-text'
import { sameRows } from '../../hook-settings/own-command'
import {
  checkedJson,
  isAsLeft,
  readNote,
  readSettings,
  removeNote,
  replaceSettings,
  writeNote,
} from '../../hook-settings/settings-file'
import { type AppServer, type AppServerPlace, withAppServer } from './app-server'
import { groupOf, hookRows } from './hook-rows'
import { keepTrust, type ListedHook, listHooks, untrustedRows } from './trust'

const TITLE = 'Codex'

/** Puts our rows into `hooks.json`, and has the CLI trust them. @see HarnessSetup.setUp */
export async function setUp({ home, path, lode, isDryRun, cli }: SetupOptions): Promise<SetupOutcome> {
  const place = placeOf(path, cli)
  const before = readSettings(path)
  const text = before.trim() === '' ? '{}\n' : before
  const present = ownRows(TITLE, text)
  const wanted = hookRows(lode)
  const isSame = sameRows(present, wanted)
  const after = isSame ? text : addRows(TITLE, removeRows(TITLE, text), wanted, groupOf)
  const outcome = {
    ...HOOKS_ALONE,
    file: path,
    added: isSame ? [] : without(wanted, present),
    removed: isSame ? [] : without(present, wanted),
  }
  if (isDryRun && !isSame) return { ...outcome, trusted: wanted, isChanged: true, backup: null }
  return await withAppServer(place, async (server) => {
    const old = existsSync(path) ? await listHooks(server, realPath(path), place.root) : []
    const trusted = isSame ? untrustedRows(old, wanted) : wanted
    const isChanged = !isSame || trusted.length > 0
    if (isDryRun || !isChanged) return { ...outcome, trusted, isChanged, backup: null }
    const config = configOf(place)
    const undo = isSame ? () => {} : undoOf(home, path)
    const hadConfig = existsSync(config)
    try {
      const backup = isSame ? null : replace(home, path, { before, after, present })
      if (!hadConfig) writeNote(home, { path: config, agent: null, original: null, addedTodoTools: false }, '')
      await trustOwn(server, { path, place, old, wanted })
      return { ...outcome, trusted, isChanged, backup }
    } catch (error) {
      // Hooks that are skipped help nobody.
      const list = () => listHooks(server, realPath(path), place.root).catch(() => [])
      const changed = await list()
      undo()
      await keepTrust(server, config, changed, await list()).catch(() => {})
      if (!hadConfig) removeEmptyConfig(home, config)
      throw error
    }
  })
}

/** @throws `invalid` the CLI would skip our rows */
async function trustOwn(
  server: AppServer,
  { path, place, old, wanted }: { path: string; place: AppServerPlace; old: ListedHook[]; wanted: readonly HookRow[] },
): Promise<void> {
  const look = () => listHooks(server, realPath(path), place.root)
  const now = await look()
  if (now.length === 0)
    throw new AppError('invalid', `Codex does not read the hooks in ${path}.`, {
      hint: "See that the file begins with '{' and has no member but 'hooks', and that config.toml turns hooks on. Nothing was changed.",
    })
  await keepTrust(server, configOf(place), old, now)
  if (untrustedRows(await look(), wanted).length > 0)
    throw new AppError('invalid', `Codex does not trust the hooks in ${path}, so it skips them.`, {
      hint: "Check 'hooks' in its config.toml and in the settings of your organisation. Nothing was changed.",
    })
}

/** @returns what puts the file and what is known of it back as they are now */
function undoOf(home: string, path: string): () => void {
  const [note, text] = [readNote(home, path), existsSync(path) ? readSettings(path) : null]
  return () => {
    replaceSettings(home, path, readSettings(path), text)
    if (note !== null && text !== null && isAsLeft(note, text)) writeNote(home, note, text)
    else removeNote(home, path)
  }
}

/** Takes our rows out, and the trust that they had. @see HarnessSetup.takeDown */
export async function takeDown(
  options: Pick<SetupOptions, 'home' | 'path' | 'isDryRun' | 'cli'>,
): Promise<SetupOutcome> {
  const { home, path, isDryRun, cli } = options
  const before = readSettings(path)
  const present = before.trim() === '' ? [] : ownRows(TITLE, before)
  const note = readNote(home, path)
  const after =
    before.trim() === '' ? before : note !== null && isAsLeft(note, before) ? note.original : removeRows(TITLE, before)
  const isChanged = after !== before
  const outcome = {
    ...{ file: path, added: [], removed: present },
    ...HOOKS_ALONE,
    isChanged,
  }
  if (!isChanged || isDryRun) return { ...outcome, backup: null }
  if (after !== null && after.trim() !== '') checkedJson(after)
  const place = placeOrNull(path, cli)
  const remove = (): string | null => {
    const backup = replaceSettings(home, path, before, after)
    removeNote(home, path)
    return backup
  }
  // Without the program its config.toml is left: what is trusted there is gone.
  if (place === null) return { ...outcome, backup: remove() }
  const backup = await withAppServer(place, async (server) => {
    const file = realPath(path)
    const old = await listHooks(server, file, place.root)
    const kept = remove()
    await keepTrust(server, configOf(place), old, await listHooks(server, file, place.root))
    return kept
  })
  removeEmptyConfig(home, configOf(place))
  return { ...outcome, backup }
}

/** What stands in the file, and what of it the CLI trusts. Without a row of ours the CLI is not asked. @see HarnessSetup.check */
export async function check({ path, lode, cli }: Pick<SetupOptions, 'path' | 'lode' | 'cli'>): Promise<SetupCheck> {
  const text = readSettings(path)
  const present = text.trim() === '' ? [] : ownRows(TITLE, text)
  const wanted = hookRows(lode)
  const place = present.length === 0 ? null : placeOrNull(path, cli)
  const untrusted =
    place === null
      ? []
      : await withAppServer(place, async (server) =>
          untrustedRows(await listHooks(server, realPath(path), place.root), present),
        )
  const installed = present.filter((row) => !without([row], wanted).length)
  return {
    file: path,
    installed,
    missing: without(wanted, present),
    outdated: without(present, wanted),
    untrusted: untrusted.filter((row) => without([row], installed).length === 0),
    statusline: null,
    disablesHooks: false,
    todoTools: null,
  }
}

const without = (rows: readonly HookRow[], others: readonly HookRow[]): HookRow[] =>
  rows.filter((row) => !others.some((one) => sameRows([one], [row])))

function replace(
  home: string,
  path: string,
  { before, after, present }: { before: string; after: string; present: readonly HookRow[] },
): string | null {
  checkedJson(after)
  const note = readNote(home, path)
  const isThere = existsSync(path)
  const backup = replaceSettings(home, path, before, after)
  const isOurs = note !== null && isAsLeft(note, before)
  const original = isOurs ? note.original : present.length > 0 ? removeRows(TITLE, before) : isThere ? before : null
  writeNote(home, { path, agent: 'codex', original, addedTodoTools: false }, after)
  return backup
}

/** A file that is there only for the trust goes with it. */
function removeEmptyConfig(home: string, path: string): void {
  if (readNote(home, path) === null) return
  removeNote(home, path)
  if (existsSync(path) && readFileSync(path, 'utf8').trim() === '') rmSync(path)
}

/** @throws `not_found` the CLI is not installed; `invalid` the file is in no folder of Codex */
function placeOf(path: string, cli: SetupCli): AppServerPlace {
  const place = placeOrNull(path, cli)
  if (place === null)
    throw new AppError('not_found', 'Codex was not found on PATH, and only Codex itself can trust its hooks.', {
      hint: 'Install it, or name it in the settings. Nothing was changed.',
    })
  if (basename(path) !== 'hooks.json' || !existsSync(place.root))
    throw new AppError('invalid', `${path} is no file of hooks that Codex reads for all projects.`, {
      hint: "Start 'codex' once, or give hooks.json in a folder of Codex. Nothing was changed.",
    })
  return place
}

function placeOrNull(path: string, { executable, env }: SetupCli): AppServerPlace | null {
  const program = executable ?? Bun.which('codex', { PATH: env.PATH ?? '' })
  return program === null ? null : { executable: program, root: dirname(path), env }
}

const configOf = ({ root }: AppServerPlace): string => join(root, 'config.toml')

/** As the CLI names the file: links of its folder followed. */
const realPath = (path: string): string => join(realpathSync(dirname(path)), basename(path))
