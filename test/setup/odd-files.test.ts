/** A person's own settings as they may be: written by hand, links, read-only, broken; and several homes of one CLI. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { HarnessSetup, SetupCli } from '../../src/domain/harness/harness-setup'
import { codexSetup } from '../../src/harness/codex/setup'
import { copilotSetup } from '../../src/harness/copilot/setup'
import { opencodeSetup } from '../../src/harness/opencode/setup'
import { piSetup } from '../../src/harness/pi/setup'
import { codexCli } from '../agents/codex-cli'

let root: string
beforeEach(() => {
  root = mkdtempSync('/var/tmp/ld-')
})
afterEach(() => {
  chmodSync(root, 0o700)
  rmSync(root, { recursive: true, force: true })
})

interface Cli {
  name: string
  setup: HarnessSetup
  /** By which a home is chosen, and the folder below it that is there before. */
  variable: string
  folder: string
  /** Files that a person may have below the folder and that the set-up changes, each with a member that the CLI knows. */
  settings: Readonly<Record<string, string>>
}

/** KEY is a member that the CLI knows in the file. */
const JSON_STYLES: Readonly<Record<string, string>> = {
  'tabs and odd spaces': '{\n\t"KEY" :  { \n }\t\n\n}',
  'lines of Windows': '{\r\n  "KEY": {}\r\n}\r\n',
  'a mark at its beginning': '\ufeff{"KEY":{}}',
  'one line without an end': '{"KEY":{}}',
  'nothing in it': '',
  'blanks alone': '\n\n',
}

const CLIS: readonly Cli[] = [
  { ...{ name: 'codex', setup: codexSetup, variable: 'CODEX_HOME', folder: '.' }, settings: { 'hooks.json': 'hooks' } },
  {
    ...{ name: 'copilot', setup: copilotSetup, variable: 'COPILOT_HOME', folder: '.' },
    settings: { 'mcp-config.json': 'mcpServers', 'hooks/lodeline.json': 'hooks' },
  },
  { ...{ name: 'opencode', setup: opencodeSetup, variable: 'XDG_CONFIG_HOME', folder: 'opencode' }, settings: {} },
  { ...{ name: 'pi', setup: piSetup, variable: 'PI_CODING_AGENT_DIR', folder: '.' }, settings: {} },
]

/** All files below a folder with their bytes, links as links. */
function picture(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name)
        const mode = (lstatSync(path).mode & 0o777).toString(8)
        return [
          relative(folder, path),
          `${mode} ${entry.isSymbolicLink() ? 'link' : readFileSync(path, 'utf8')}`,
        ] as const
      })
      // What the CLI itself keeps when it is asked.
      .filter(([name]) => !/sqlite|^\.?tmp|log|installation_id|version|models_cache|skills|shell_snapshots/.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

class Home {
  readonly folder: string
  readonly #cli: Cli
  readonly #options: { home: string; path: string; cli: SetupCli }

  constructor(cli: Cli, name: string, program: string | null) {
    const home = join(root, name)
    this.folder = join(home, cli.folder)
    mkdirSync(this.folder, { recursive: true })
    const env = { PATH: process.env.PATH ?? '', HOME: join(root, 'nobody'), [cli.variable]: home }
    const path = cli.setup.userFile(env, root)
    this.#cli = cli
    this.#options = { home: join(root, 'lodeline'), path, cli: { executable: program, env, cwd: root } }
  }

  get path(): string {
    return this.#options.path
  }

  setUp = (isDryRun = false) =>
    this.#cli.setup.setUp({
      ...{ ...this.#options, isDryRun, lode: '/opt/lode', version: null, todoTools: null },
      tools: async () => [],
    })
  takeDown = () => this.#cli.setup.takeDown({ ...this.#options, isDryRun: false })
  check = () => this.#cli.setup.check({ ...this.#options, lode: '/opt/lode', version: null, tools: async () => [] })
}

/** A program that starts Codex itself. */
async function programOf({ name }: Cli): Promise<string | null> {
  if (name !== 'codex') return null
  const path = join(root, 'codex')
  writeFileSync(path, `#!/bin/sh\nexec ${(await codexCli()).map((word) => `'${word}'`).join(' ')} "$@"\n`, {
    mode: 0o755,
  })
  return path
}

const refusal = async (work: Promise<unknown>): Promise<{ message: string; hint: string }> =>
  await work.then(
    () => ({ message: 'it did it', hint: '' }),
    (error: { message: string; hint?: string }) => ({ message: error.message, hint: error.hint ?? '' }),
  )

describe.each(CLIS)('$name', (cli) => {
  const put = (home: Home, name: string, text: string): string => {
    const path = join(home.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }

  test('two homes are set up and taken down each for itself, whatever the files look like, to the last byte', async () => {
    const program = await programOf(cli)
    // Codex takes a program to start for each, and reads no mark: two show it.
    const styles = Object.entries(JSON_STYLES).filter((_, n) => cli.name !== 'codex' || n === 0 || n === 4)
    for (const [n, [style, text]] of (Object.keys(cli.settings).length === 0 ? styles.slice(0, 1) : styles).entries()) {
      const homes = ['a', 'b'].map((name) => new Home(cli, `${name}${n}`, program))
      const [one, two] = homes as [Home, Home]
      for (const home of homes) {
        put(home, 'notes.txt', 'mine\n')
        if (cli.name === 'codex')
          put(home, 'config.toml', '# mine\nmodel   =  "x"  # odd\n\n\n[ tools ]\nweb_search=true\n')
        // A person's dot files may be kept elsewhere.
        if (cli.name === 'codex' && home === two) {
          renameSync(join(home.folder, 'config.toml'), join(home.folder, 'kept.toml'))
          symlinkSync('kept.toml', join(home.folder, 'config.toml'))
        }
        for (const [name, key] of Object.entries(cli.settings)) put(home, name, text.replace('KEY', key))
      }
      const [before, beforeTwo] = [picture(one.folder), picture(two.folder)]
      await one.setUp(true)
      expect([style, picture(one.folder)]).toEqual([style, before])
      for (const home of homes) await home.setUp()
      expect(await one.check()).toMatchObject({ missing: [], outdated: [], untrusted: [] })
      await one.takeDown()
      expect([style, picture(one.folder)]).toEqual([style, before])
      expect(await two.check()).toMatchObject({ missing: [] })
      await two.takeDown()
      expect([style, picture(two.folder)]).toEqual([style, beforeTwo])
    }
  })

  if (cli.name === 'codex')
    test('hooks that the CLI would not run are taken out again, with all that was changed for them', async () => {
      const program = await programOf(cli)
      for (const [n, [name, text]] of [
        // A member that the CLI does not know makes it skip the file; hooks may be turned off as a whole.
        ['hooks.json', '{"mine":1}\n'],
        ['hooks.json', '\ufeff{"hooks":{}}\n'],
        ['config.toml', '# mine\n[features]\nhooks = false\n'],
        ['config.toml', 'model = "half'],
      ].entries()) {
        const home = new Home(cli, `t${n}`, program)
        put(home, name ?? '', text ?? '')
        const before = picture(home.folder)
        const { message, hint } = await refusal(home.setUp())
        expect(`${text} ${message}`).toMatch(/Codex does not (?:trust|read) the hooks|did not|config\.toml/)
        expect(hint).toContain('Nothing was changed')
        expect(picture(home.folder)).toEqual(before)
        expect(cli.setup.filesSetUp(join(root, 'lodeline'))).toEqual([])
      }
    })

  test('links, files that may not be written, and broken ones are refused with a hint, and nothing is changed', async () => {
    const program = await programOf(cli)
    const names = [
      ...Object.keys(cli.settings),
      relative(join(root, 'x', cli.folder), new Home(cli, 'x', program).path),
    ]
    for (const [n, name] of [...new Set(names)].entries()) {
      const isJson = name.endsWith('.json')
      const cases: [string, (path: string) => void, RegExp][] = [
        [
          'a link',
          (path) => {
            writeFileSync(`${path}.real`, '{}\n')
            symlinkSync(`${path}.real`, path)
          },
          /is a link/,
        ],
        ['a link to nothing', (path) => symlinkSync('/nowhere/at/all', path), /is a link/],
        ['a folder', (path) => mkdirSync(path), /not a regular file/],
        [
          'read-only',
          (path) => {
            writeFileSync(path, isJson ? '{}\n' : 'own();\n')
            chmodSync(path, 0o444)
          },
          /can't be written/,
        ],
        ['no UTF-8', (path) => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d])), /is not UTF-8/],
        ...(isJson
          ? ([
              ['half-written', (path) => writeFileSync(path, '{"hooks": {"Stop": ['), /can't read|not valid|JSON/],
              ['with comments', (path) => writeFileSync(path, '{ // mine\n "a": 1 }'), /has a comment/],
              ['of another shape', (path) => writeFileSync(path, '[]'), /can't read|not an object|JSON/],
            ] as [string, (path: string) => void, RegExp][])
          : ([
              ["somebody else's", (path) => writeFileSync(path, 'own();\n'), /somebody else|not a file that Lodeline/],
            ] as [string, (path: string) => void, RegExp][])),
      ]
      for (const [m, [what, make, said]] of cases.entries()) {
        const home = new Home(cli, `h${n}-${m}`, program)
        const path = join(home.folder, name)
        mkdirSync(dirname(path), { recursive: true })
        make(path)
        const before = picture(home.folder)
        const { message, hint } = await refusal(home.setUp())
        expect(`${name} ${what}: ${message}`).toMatch(said)
        expect(`${name} ${what}: ${hint}`).toContain('Nothing was changed')
        expect([name, what, picture(home.folder)]).toEqual([name, what, before])
      }
    }
  })
})
