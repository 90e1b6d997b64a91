/** The first screen of a new user: what is here, and what Lodeline may do with it. Asks once, and changes nothing before. */
import type { FoundAgent } from '../../app/first/found-agents'
import type { NamedFolder } from '../../app/first/named-folders'
import type { Config } from '../../config/load'
import { shortPath } from '../../util/files/short-path'
import type { Context } from '../kit/context'
import { EXIT } from '../kit/exit-codes'
import type { Io } from '../kit/io'
import { programName } from '../kit/program-name'
import { age, bytes } from '../print/measures'
import { type Column, table } from '../print/table'
import { oneLine } from '../print/text'
import { hasBrowser } from '../server/open-browser'
import { begin } from './begin'

/** @param config  as the settings are before anything is answered */
export async function firstScreen(context: Context, config: Config, userFile: string): Promise<number> {
  const { io } = context
  const [{ foundAgents }, { namedFolders }] = await Promise.all([
    import('../../app/first/found-agents'),
    import('../../app/first/named-folders'),
  ])
  const found = await foundAgents(config)
  const program = programName(io.cwd)
  io.out(foundText(found, config, io))
  const ask = asker(context)
  const isWanted = found.length > 0 ? 'Record these, old and new? Their files are only read.' : 'Start recording now?'
  if (!(await ask(isWanted, true, `${program} up`))) return leave(context, program)
  const named: NamedFolder[] = []
  for (const folder of namedFolders(config, io.env)) if (await ask(folderQuestion(folder, io), true)) named.push(folder)
  const taking = [...new Map(found.filter(({ hasHooks }) => hasHooks).map((each) => [each.program, each.title]))]
  const hooks =
    taking.length > 0 &&
    (await ask(
      `Add hooks to ${taking.map(([, title]) => title).join(' and ')}? They remind the agent of its goal.`,
      false,
      taking.map(([name]) => `${program} setup ${name}`).join(', '),
    ))
  const atLogin =
    (await hasServices(config, io)) &&
    (await ask('Run in the background, now and from each login on?', false, `${program} service install`))
  const open = hasBrowser(io) && (await ask('Open the dashboard in your browser?', true, `${program} open`))
  if (ask.hasLeft()) return leave(context, program)
  if (named.length > 0) await addFolders(named, config, userFile)
  io.out('\n')
  return await begin(context, LISTEN_AS_SET, { hooks, open, 'at-login': atLogin })
}

const LISTEN_AS_SET = {
  host: undefined,
  port: undefined,
  'allow-insecure': false,
  'tls-cert': undefined,
  'tls-key': undefined,
} as const

function leave({ io, signal }: Context, program: string): number {
  io.out(`Nothing was changed. '${program} up' starts recording; '${program} --help' lists all commands.\n`)
  return signal.aborted ? EXIT.interrupted : EXIT.ok
}

const folderQuestion = ({ folder, file, title }: NamedFolder, io: Io): string =>
  `Record ${shortPath(folder, io.env.HOME)} too? ${shortPath(file, io.env.HOME)} names it for ${title}.`

const COLUMNS = (io: Io): Column<FoundAgent>[] => [
  { title: 'AGENT', cell: ({ title }) => title },
  { title: 'FOLDER', cell: ({ folder }) => shortPath(folder, io.env.HOME), flexible: 12 },
  { title: 'SESSIONS', cell: sessionsText, align: 'right' },
  { title: 'SIZE', cell: ({ bytes: size, isWhole }) => `${bytes(size)}${isWhole ? '' : '+'}`, align: 'right' },
  {
    title: 'NEWEST',
    cell: ({ newestAt }) => (newestAt === null ? null : age(new Date(newestAt).toISOString(), io.now())),
    align: 'right',
  },
]

const sessionsText = ({ sessions, isWhole }: FoundAgent): string =>
  sessions === null ? 'in a database' : `${sessions.toLocaleString('en-US')}${isWhole ? '' : '+'}`

function foundText(found: readonly FoundAgent[], { agents }: Config, io: Io): string {
  const head = 'Lodeline records what coding agents do here, and continues their work.\n'
  if (found.length === 0) {
    const folders = Object.values(agents).flatMap(({ homes }) => homes.map((home) => shortPath(home, io.env.HOME)))
    return `${head}No conversations were found yet. It looked in\n  ${folders.join('\n  ')}\nand will record what comes there.\n\n`
  }
  return `${head}Nothing is recorded yet. These conversations are here:\n\n${table(found, COLUMNS(io), io.columns)}\n`
}

/** After this many other answers the person wants something else. */
const MOST_TURNS = 5

/** Asks until there is an answer. Enter takes the default; Ctrl-C and Ctrl-D leave, and every question after that is answered with no. */
export function asker({ io, signal }: Context) {
  let hasLeft = false
  /** @param later  what does the same another time */
  async function ask(question: string, isDefault: boolean, later?: string): Promise<boolean> {
    for (let turn = 0; turn < MOST_TURNS && !hasLeft; turn++) {
      const answer = await io.askLine(`${oneLine(question)} ${isDefault ? '[Y/n]' : '[y/N]'} `, signal)
      if (answer === null) {
        hasLeft = true
        io.err('\n')
        return false
      }
      const isYes = answer === '' ? isDefault : ANSWERS.get(answer.toLowerCase())
      if (isYes === false && later !== undefined) io.err(`  later: ${oneLine(later)}\n`)
      if (isYes !== undefined) return isYes
      io.err(`  Type y or n, or press Enter for ${isDefault ? 'yes' : 'no'}.\n`)
    }
    hasLeft = true
    return false
  }
  return Object.assign(ask, { hasLeft: () => hasLeft })
}

const ANSWERS: ReadonlyMap<string, boolean> = new Map([
  ['y', true],
  ['yes', true],
  ['n', false],
  ['no', false],
])

async function addFolders(named: readonly NamedFolder[], config: Config, userFile: string): Promise<void> {
  const { setConfigValue } = await import('../../config/file/edit')
  const byAgent = Map.groupBy(named, ({ agent }) => agent)
  for (const [agent, folders] of byAgent)
    setConfigValue(userFile, `agents.${agent}.homes`, [
      ...(config.agents[agent]?.homes ?? []),
      ...folders.map(({ folder }) => folder),
    ])
}

async function hasServices({ home }: Config, { env }: Io): Promise<boolean> {
  const { ownHost, serviceState } = await import('../../app/service/service')
  try {
    return serviceState(home, ownHost(env, PROBE_MS)).isAvailable
  } catch {
    return false
  }
}

/** A manager that does not answer by then is not asked for: somebody waits for the next question. */
const PROBE_MS = 1_000
