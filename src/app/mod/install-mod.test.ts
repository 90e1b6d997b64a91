import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installMod, modFiles, modFolder, modState, removeMod } from './install-mod'

const root = mkdtempSync(join(tmpdir(), 'lode-mod-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('is put where CLAUDE_CONFIG_DIR says, names a Lodeline folder of its own, and goes without a trace', () => {
  const folder = modFolder({ HOME: root, CLAUDE_CONFIG_DIR: join(root, 'work') }, '/')
  expect(folder).toBe(join(root, 'work/skills/lodeline'))
  mkdirSync(join(root, 'work'))
  const files = modFiles('/data/"lode"')
  expect(modState(folder, files)).toBe('none')
  installMod(folder, files)
  installMod(folder, files)
  expect(modState(folder, files)).toBe('ready')
  expect(readFileSync(join(folder, 'hooks/register.ts'), 'utf8')).toContain('const HOME = "/data/\\"lode\\""')
  expect(JSON.parse(readFileSync(join(folder, 'hooks/hooks.json'), 'utf8'))).toMatchObject({ hooks: {} })
  expect(modState(folder, modFiles(null))).toBe('outdated')
  expect(removeMod(folder)).toBe(true)
  expect(existsSync(join(root, 'work/skills'))).toBe(false)
  expect(removeMod(folder)).toBe(false)
})

test('leaves a skill of somebody else that has its name alone, and files that a person put beside it', () => {
  const folder = modFolder({ HOME: root }, '/')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), 'mine')
  expect(() => installMod(folder, modFiles(null))).toThrow(/is not Lodeline's/)
  expect(removeMod(folder)).toBe(false)
  rmSync(folder, { recursive: true })
  installMod(folder, modFiles(null))
  writeFileSync(join(folder, 'NOTES.md'), 'mine')
  expect(removeMod(folder)).toBe(true)
  expect(readFileSync(join(folder, 'NOTES.md'), 'utf8')).toBe('mine')
})
