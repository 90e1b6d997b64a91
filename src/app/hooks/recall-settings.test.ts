import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../config/load'
import { recallSettings } from './recall-settings'
import { settingsFiles } from './settings-files'

let root: string
beforeEach(() => {
  root = mkdtempSync('/tmp/ld-')
  for (const folder of ['home', 'user/project/.git', 'user/project/.lodeline', 'user/project/below'])
    mkdirSync(join(root, folder), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** As a hook reads them, and as commands do. */
function both() {
  const [home, cwd] = [join(root, 'home'), join(root, 'user/project/below')]
  const env = { HOME: join(root, 'user'), LODELINE_HOME: home }
  const { todos } = loadConfig({ env, cwd })
  const hook = recallSettings(settingsFiles(home, cwd, env), env)
  return {
    hook: { hides: hook.hidesTodos, from: hook.linkFrom ?? todos.linkFrom },
    commands: { hides: !todos.enabled, from: todos.linkFrom },
  }
}

test('a hook reads the settings as commands do: the project over the user, and what is wrong as if it were not there', () => {
  const [user, project] = [join(root, 'home/config.yaml'), join(root, 'user/project/.lodeline/config.yaml')]
  expect(settingsFiles(join(root, 'home'), join(root, 'user/project/below'), {})).toEqual([])
  const wanted = [
    { user: '', project: '', hides: false, count: 6 },
    { user: 'todos.enabled: false\n', project: '', hides: true, count: 6 },
    { user: 'todos: { enabled: false }\n', project: 'todos.enabled: true\n', hides: false, count: 6 },
    { user: 'todos.linkFrom: off\n', project: 'todos: { linkFrom: [claim, task] }\n', hides: false, count: 2 },
    { user: 'todos.linkFrom: off\n', project: 'todos.linkFrom: [dream]\n', hides: false, count: 0 },
  ]
  for (const { user: own, project: shared, hides, count } of wanted) {
    writeFileSync(user, own)
    writeFileSync(project, shared)
    const { hook, commands } = both()
    expect([own, shared, hook]).toEqual([own, shared, commands])
    expect([hook.hides, hook.from.length]).toEqual([hides, count])
  }
})
