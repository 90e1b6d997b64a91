/** That what is installed is what was looked at, and that the list of packages names it. */
import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const readJson = <T>(name: string): T => JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as T

interface LockEntry {
  version: string
  integrity?: string
  resolved?: string
  dev?: boolean
  optional?: boolean
  link?: boolean
}
const { packages } = readJson<{ packages: Record<string, LockEntry> }>('package-lock.json')

/** The formatter's programs for other systems, which no user of Lodeline installs. The registry that made the lockfile did not have them. */
const WITHOUT_INTEGRITY = [
  'android-arm64',
  'android-x64',
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64-musl',
  'linux-x64-musl',
  'win32-arm64',
  'win32-x64',
].map((system) => `node_modules/@biomejs/cli-${system}`)

test('every package of the lockfile has a digest, but the named ones of the formatter for other systems', () => {
  const entries = Object.entries(packages).filter(([path, { link }]) => path !== '' && link !== true)
  expect(entries.length).toBeGreaterThan(100)
  const without = entries.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
  expect(without.map(([path]) => path).sort()).toEqual([...WITHOUT_INTEGRITY].sort())
  for (const [path, { dev, optional }] of without) expect([path, dev, optional]).toEqual([path, true, true])
})

test('no package comes from elsewhere than the registry', () => {
  const elsewhere = Object.entries(packages).filter(
    ([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'),
  )
  expect(elsewhere).toEqual([])
})

test('the list of packages names each dependency with its version and digest', async () => {
  const folder = mkdtempSync('/tmp/ld-sbom-')
  try {
    const path = join(folder, 'lode.cdx.json')
    const made = Bun.spawn([process.execPath, join(ROOT, 'scripts/sbom.ts'), path], {
      stdout: 'ignore',
      stderr: 'inherit',
    })
    expect(await made.exited).toBe(0)
    const { bomFormat, components } = JSON.parse(readFileSync(path, 'utf8')) as {
      bomFormat: string
      components: { name: string; group?: string; version: string; hashes?: { alg: string }[] }[]
    }
    expect(bomFormat).toBe('CycloneDX')
    const named = new Map(components.map((one) => [[one.group, one.name].filter(Boolean).join('/'), one]))
    // The dashboard's are in the executable too.
    expect(named.has('@tanstack/react-query')).toBe(true)
    const { dependencies } = readJson<{ dependencies: Record<string, string> }>('package.json')
    for (const [name, version] of Object.entries(dependencies)) {
      expect([name, named.get(name)?.version]).toEqual([name, version])
      expect([name, named.get(name)?.hashes?.[0]?.alg]).toEqual([name, 'SHA-512'])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
