/** What can be seen of the files of `deploy/` without an engine for containers. */
import { expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { COMMANDS } from '../../src/cli/command-table'
import { parseArgs } from '../../src/cli/kit/arguments/parse-args'
import { readConfig } from '../../src/config/load'
import { compose, DEPLOY, secondsOf, serviceOf } from './engine'

const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8')

/** What requests under way have at the end of a server, and the runs of a worker, in seconds. */
const ENDING = { server: 5, worker: 15 }

test.each(['server', 'worker'] as const)(
  'the %s of compose.yaml has no rights and writes nothing but what it names',
  (name) => {
    const service = serviceOf(name)
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], user: '10001:10001' })
    for (const one of service.secrets)
      expect(compose.secrets).toHaveProperty(typeof one === 'string' ? one : one.source)
    for (const one of service.configs ?? [])
      expect(compose.configs).toHaveProperty(typeof one === 'string' ? one : one.source)
    for (const line of service.volumes ?? []) expect(compose.volumes).toHaveProperty(line.split(':')[0] ?? '')
    const { drainSeconds = 0 } = settingsOf('server').values
    const needed = ENDING[name] + (name === 'server' ? Number(drainSeconds) : 0)
    expect(secondsOf(service.stop_grace_period)).toBeGreaterThan(needed)
  },
)

test.each(['server', 'worker'] as const)(
  'the command of the %s is one, and all its settings are known',
  async (name) => {
    const [word = '', ...rest] = serviceOf(name).command
    const entry = COMMANDS[word]
    if (typeof entry !== 'function') throw new Error(`there is no command ${word}`)
    const { args = [], options = {} } = (await entry()).command
    expect(() => parseArgs(rest, { path: word, args, options })).not.toThrow()
    expect(settingsOf(name)).toMatchObject({ errors: [], warnings: [] })
  },
)

function settingsOf(name: 'server' | 'worker') {
  const home = mkdtempSync('/tmp/ld-')
  try {
    copyFileSync(join(DEPLOY, `${name}.yaml`), join(home, 'config.yaml'))
    const { errors, warnings, config } = readConfig({ env: { HOME: home }, cwd: home, flags: { home } })
    return { errors, warnings, values: { drainSeconds: config.server.drainMs / 1_000 } }
  } finally {
    rmSync(home, { recursive: true })
  }
}

const WORDS =
  'ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL STOPSIGNAL USER VOLUME WORKDIR'.split(' ')

test.each([
  ['of the worker', 'worker.Dockerfile'],
  ['of a release', '../scripts/release/files/Dockerfile'],
])('the Dockerfile %s is well formed, ends as a user without rights, and gets signals itself', (_, path) => {
  const text = read(path)
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, '')
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  for (const line of lines) expect(WORDS).toContain(line.split(' ')[0] ?? '')
  const newest = (word: string) => lines.findLast((line) => line.startsWith(`${word} `))?.slice(word.length + 1)
  expect(newest('USER')).toBe('10001')
  for (const word of ['CMD', 'ENTRYPOINT']) expect(JSON.parse(newest(word) ?? '[]')).toBeArray()
  const stages = lines.flatMap((line) => /^FROM \S+ AS (\S+)$/.exec(line)?.[1] ?? [])
  for (const line of lines) {
    const from = /^COPY --from=(\S+)/.exec(line)?.[1]
    if (from !== undefined) expect(stages).toContain(from)
  }
})

test('the feature for dev containers gives its script the options that it reads, and is where devcontainer.json says', () => {
  const outer = JSON.parse(read('devcontainer/devcontainer.json').replace(/^\s*\/\/.*$/gm, ''))
  const feature = JSON.parse(read('devcontainer/lodeline/devcontainer-feature.json'))
  const script = read('devcontainer/lodeline/install.sh')
  expect(existsSync(join(DEPLOY, 'devcontainer/lodeline', feature.id === 'lodeline' ? 'install.sh' : ''))).toBe(true)
  for (const option of Object.keys(feature.options)) expect(script).toContain(`\${${option.toUpperCase()}:-`)
  for (const option of Object.keys(outer.features['./lodeline'])) expect(feature.options).toHaveProperty(option)
  for (const hook of [feature.postCreateCommand, feature.postStartCommand])
    expect(script).toContain(`"$folder/${hook.split('/').at(-1)}"`)
  expect(feature.mounts[0].target).toBe(feature.containerEnv.LODELINE_HOME)
})
