import { describe, expect, test } from 'bun:test'
import { anchors, documents, isThere, localLinks, namedPaths, prose } from './documents'

const all = documents()
const byPath = new Map(all.map((document) => [document.path, document]))

describe.each(all.map((document) => [document.path, document] as const))('%s', (_, document) => {
  test('links to files and headings that are there', () => {
    const broken = localLinks(document).filter(({ file, anchor }) => {
      if (!isThere(file)) return true
      const target = byPath.get(file)
      return anchor !== '' && (target === undefined || !anchors(target).has(anchor))
    })
    expect(broken).toEqual([])
  })

  test('names files and folders of the repository that are there', () => {
    expect(namedPaths(document).filter((named) => !isThere(named))).toEqual([])
  })
})

// A row of a table and a heading can't be wrapped. Generated pages have lines of any length.
const wrapped = all.filter(({ path }) => path === 'docs/reference/json.md' || !path.startsWith('docs/reference/'))
test.each(wrapped.map((document) => [document.path, document] as const))(
  '%s has lines of at most 140 characters',
  (_, document) => {
    const lines = prose(document).split('\n')
    const wide = lines.filter((line) => !/^[|<#]/.test(line) && [...line].length > 140)
    expect(wide).toEqual([])
  },
)

test('README fits on two screens', () => {
  expect(byPath.get('README.md')?.text.split('\n').length).toBeLessThanOrEqual(150)
})

test('every page is found from the README, by links', () => {
  const found = new Set(['README.md'])
  for (const path of found) {
    const document = byPath.get(path)
    if (document !== undefined) for (const { file } of localLinks(document)) found.add(file)
  }
  expect(all.map((document) => document.path).filter((path) => !found.has(path))).toEqual([])
})

test('every decision says what was decided', () => {
  const pages = all.filter(({ path }) => path.startsWith('docs/architecture/'))
  const decisions = pages.flatMap(({ path, text }) =>
    (text.split('## Decisions\n')[1] ?? '')
      .split(/^### /m)
      .slice(1)
      .map((part) => [path, part] as const),
  )
  expect(decisions.length).toBeGreaterThan(60)
  for (const [path, part] of decisions) {
    const labels = [...part.matchAll(/^- \*\*(.+?)\*\*/gm)].map((match) => match[1])
    const order = ['Decision.', 'Why.', 'Measured.', 'Would change if']
    expect([path, labels[0]]).toEqual([path, 'Decision.'])
    expect([path, labels]).toEqual([path, order.filter((label) => labels.includes(label))])
  }
})
