/** Languages that code is coloured in, by the endings of their files. What is not here stays plain. */
const ENDINGS = {
  bash: 'sh bash zsh ksh bats env',
  c: 'c h',
  cpp: 'cc cpp cxx c++ hh hpp hxx h++ ino cu',
  csharp: 'cs csx',
  css: 'css',
  dart: 'dart',
  diff: 'diff patch',
  dockerfile: 'dockerfile containerfile',
  elixir: 'ex exs',
  go: 'go',
  graphql: 'graphql gql',
  groovy: 'groovy gradle',
  haskell: 'hs',
  ini: 'ini cfg conf toml properties editorconfig',
  java: 'java',
  javascript: 'js mjs cjs jsx',
  json: 'json jsonc json5 jsonl ndjson webmanifest map',
  kotlin: 'kt kts',
  lua: 'lua',
  makefile: 'mk mak make',
  markdown: 'md markdown mdx',
  nix: 'nix',
  objectivec: 'm mm',
  perl: 'pl pm',
  php: 'php phtml',
  powershell: 'ps1 psm1 psd1',
  protobuf: 'proto',
  python: 'py pyi pyw',
  r: 'r',
  ruby: 'rb rake gemspec ru',
  rust: 'rs',
  scala: 'scala sbt',
  scss: 'scss sass less',
  sql: 'sql psql',
  swift: 'swift',
  typescript: 'ts mts cts tsx',
  xml: 'xml html htm xhtml svg vue svelte xsl xsd plist csproj',
  yaml: 'yaml yml',
} as const satisfies Record<string, string>

export type Language = keyof typeof ENDINGS

export const LANGUAGES = Object.keys(ENDINGS) as Language[]

/** Files that are known by their whole name. */
const NAMES: readonly [name: string, language: Language][] = [
  ['makefile', 'makefile'],
  ['gnumakefile', 'makefile'],
  ['dockerfile', 'dockerfile'],
  ['containerfile', 'dockerfile'],
  ['gemfile', 'ruby'],
  ['rakefile', 'ruby'],
  ['jenkinsfile', 'groovy'],
  ['.bashrc', 'bash'],
  ['.zshrc', 'bash'],
  ['.profile', 'bash'],
]

/** Words behind the fence of a block of code that are neither a language nor an ending. */
const WORDS: readonly [word: string, language: Language][] = [
  ['shell', 'bash'],
  ['console', 'bash'],
  ['golang', 'go'],
  ['objective-c', 'objectivec'],
  ['docker', 'dockerfile'],
]

const byEnding = new Map(
  LANGUAGES.flatMap((language) => ENDINGS[language].split(' ').map((ending) => [ending, language] as const)),
)
const byName = new Map(NAMES)
const byWord = new Map<string, Language>([...LANGUAGES.map((one) => [one, one] as const), ...WORDS])

/** The language of a file by its name. `null` = none that is known, so its code stays plain. */
export function languageOfFile(path: string): Language | null {
  const name = (path.split(/[/\\]/).at(-1) ?? '').toLowerCase()
  const known = byName.get(name)
  if (known !== undefined) return known
  const dot = name.lastIndexOf('.')
  if (dot < 0) return null
  // `Dockerfile.dev` is a Dockerfile.
  return byEnding.get(name.slice(dot + 1)) ?? byName.get(name.slice(0, dot)) ?? null
}

/** The language that stands behind the fence of a block of code, e.g. `ts`. */
export function languageOfFence(word: string): Language | null {
  const name = word.toLowerCase()
  return byWord.get(name) ?? byEnding.get(name) ?? null
}
