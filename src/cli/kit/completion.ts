import { GLOBAL_OPTIONS } from './arguments/global-options'
import { type IdKind, isIdKind } from './arguments/id-kinds'
import type { ArgSpec, OptionSpec, OptionSpecs } from './arguments/specs'
import type { Command, CommandTree } from './command'
import type { Shell } from './shells'

/** A command or a group, with what may follow it. */
export interface CompletionNode {
  /** Words after `lode`, joined by spaces; empty for `lode` itself. */
  path: string
  summary: string
  verbs: { name: string; summary: string }[]
  options: OptionSpecs
  args: readonly ArgSpec[]
}

/** Every node of the command tree, `lode` itself first. */
export async function completionNodes(tree: CommandTree, path = '', summary = ''): Promise<CompletionNode[]> {
  const below: CompletionNode[] = []
  const verbs: CompletionNode['verbs'] = []
  for (const [name, entry] of Object.entries(tree)) {
    const childPath = path === '' ? name : `${path} ${name}`
    if (typeof entry === 'function') {
      const command: Command = (await entry()).command
      const options: OptionSpecs = { ...command.options, ...GLOBAL_OPTIONS }
      below.push({ path: childPath, summary: command.summary, verbs: [], options, args: command.args ?? [] })
      verbs.push({ name, summary: command.summary })
    } else {
      below.push(...(await completionNodes(entry.verbs, childPath, entry.summary)))
      verbs.push({ name, summary: entry.summary })
    }
  }
  return [{ path, summary, verbs, options: GLOBAL_OPTIONS, args: [] }, ...below]
}

/** The script that a shell reads once. While a person types it starts `lode` for IDs alone. */
export async function completionScript(shell: Shell, tree: CommandTree): Promise<string> {
  const nodes = await completionNodes(tree)
  if (shell === 'bash') return bash(nodes)
  return shell === 'zsh' ? zsh(nodes) : fish(nodes)
}

interface OptionForm {
  /** As typed: `--limit`, `--no-color`. */
  long: string
  name: string
  spec: OptionSpec
}

function forms(options: OptionSpecs): OptionForm[] {
  return Object.entries(options).map(([name, spec]) => ({
    long: spec.kind === 'flag' && spec.isDefault ? `--no-${name}` : `--${name}`,
    name,
    spec,
  }))
}

/** What stands where a value goes: fixed words, files, or IDs. */
interface Values {
  words: readonly string[]
  files: 'file' | 'folder' | null
  ids: IdKind | null
}

function valuesOf(source: OptionSpec | ArgSpec | undefined): Values {
  const none = { words: [], files: null, ids: null }
  if (source === undefined) return none
  if ('choices' in source && source.choices) return { ...none, words: source.choices }
  const complete = 'complete' in source ? source.complete : undefined
  if (complete === 'file' || complete === 'folder') return { ...none, files: complete }
  return isIdKind(complete) ? { ...none, ids: complete } : { ...none, words: complete ?? [] }
}

/** One `case` branch for each way to complete an option's value, naming all options (`session list:--status`) that take it. */
function valueCases(nodes: readonly CompletionNode[], action: (values: Values) => string): string {
  const places = new Map<string, string[]>()
  for (const node of nodes) {
    for (const { name, spec } of forms(node.options)) {
      if (spec.kind === 'flag') continue
      const act = action(valuesOf(spec))
      places.set(act, [...(places.get(act) ?? []), quote(`${node.path}:--${name}`)])
    }
  }
  return [...places].map(([act, where]) => `    ${where.join('|')})\n      ${act}; return ;;`).join('\n')
}

/** Global options that take a value: the word after one of them is no command. */
const WITH_VALUE = Object.entries<OptionSpec>(GLOBAL_OPTIONS).flatMap(([name, spec]) =>
  spec.kind === 'flag' ? [] : [`--${name}`],
)

/** Words of our own tables only, quoted all the same. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function bash(nodes: readonly CompletionNode[]): string {
  const cases = nodes.map((node) => {
    const { words: first, ids } = valuesOf(node.args[0])
    const words = [...node.verbs.map((verb) => verb.name), ...first]
    const options = forms(node.options).map(({ long }) => long)
    const files = node.args.some((arg) => valuesOf(arg).files !== null) ? 'file' : ''
    return `    ${quote(node.path)}) words=${quote(words.join(' '))}; options=${quote(options.join(' '))}; files=${quote(files)}; ids=${quote(ids ?? '')} ;;`
  })
  const values = valueCases(nodes, ({ words, files, ids }) => {
    if (ids !== null) return `_lode_ids ${ids}`
    const reply =
      files === null ? `compgen -W ${quote(words.join(' '))}` : files === 'folder' ? 'compgen -d' : 'compgen -f'
    return `COMPREPLY=($(${reply} -- "$current"))`
  })
  const groups = nodes.filter((node) => node.verbs.length > 0).map((node) => quote(node.path))
  return `# bash completion of lode. For ~/.bashrc: source <(lode completion bash)
_lode_ids() {
  COMPREPLY+=($(compgen -W "$(lode complete bash "$1" 2>/dev/null)" -- "$current"))
}
_lode() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' word words options files ids i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in -*) continue ;; esac
    case \${COMP_WORDS[i-1]} in ${WITH_VALUE.join('|')}) continue ;; esac
    case $path in
      ${groups.join('|')}) path=\${path:+$path }$word ;;
    esac
  done
  case $previous in
    --*) case "$path:$previous" in
${values}
    esac ;;
  esac
  case $path in
${cases.join('\n')}
    *) return ;;
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *)
      COMPREPLY=($(compgen -W "$words" -- "$current"))
      if [ -n "$ids" ]; then _lode_ids "$ids"; fi
      if [ -n "$files" ]; then compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$current")); fi ;;
  esac
}
complete -F _lode lode
`
}

function zsh(nodes: readonly CompletionNode[]): string {
  const describe = (text: string) => text.replaceAll(':', '\\:')
  const cases = nodes.map((node) => {
    const verbs = node.verbs.map((verb) => quote(`${verb.name}:${describe(verb.summary)}`))
    const options = forms(node.options).map(({ long, spec }) => quote(`${long}:${describe(spec.help)}`))
    const arg = valuesOf(node.args[0])
    const lines = [`      verbs=(${verbs.join(' ')})`, `      options=(${options.join(' ')})`]
    if (arg.words.length > 0) lines.push(`      values=(${arg.words.map(quote).join(' ')})`)
    if (arg.files !== null) lines.push('      files=1')
    if (arg.ids !== null) lines.push(`      ids=${arg.ids}`)
    return `    ${quote(node.path)})\n${lines.join('\n')} ;;`
  })
  const values = valueCases(nodes, ({ words, files, ids }) => {
    if (ids !== null) return `_lode_ids ${ids}`
    if (files !== null) return files === 'folder' ? '_files -/' : '_files'
    return words.length > 0 ? `compadd -- ${words.map(quote).join(' ')}` : ':'
  })
  const groups = nodes.filter((node) => node.verbs.length > 0).map((node) => quote(node.path))
  return `#compdef lode
# zsh completion of lode. Put it into a file _lode in a folder of $fpath.
_lode_ids() {
  local -a found
  found=("\${(@f)$(lode complete zsh $1 2>/dev/null)}")
  [[ -n $found[1] ]] && _describe $1 found
}
_lode() {
  local path_ word ids='' i files=0
  local -a verbs options values
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    [[ $word == -* ]] && continue
    case $words[i-1] in ${WITH_VALUE.join('|')}) continue ;; esac
    case $path_ in
      ${groups.join('|')}) path_=\${path_:+$path_ }$word ;;
    esac
  done
  case "$path_:$words[CURRENT-1]" in
${values}
  esac
  case $path_ in
${cases.join('\n')}
    *) return ;;
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe 'option' options
  else
    (( $#verbs )) && _describe 'command' verbs
    (( $#values )) && compadd -a values
    [[ -n $ids ]] && _lode_ids $ids
    (( files )) && _files
  fi
}
if [[ $funcstack[1] == _lode ]]; then _lode; else compdef _lode lode; fi
`
}

function fish(nodes: readonly CompletionNode[]): string {
  const lines = [
    '# fish completion of lode. Put it into ~/.config/fish/completions/lode.fish',
    'function __lode_at',
    '  set -l words',
    "  set -l last ''",
    '  for word in (commandline -opc)[2..-1]',
    `    if not string match -q -- '-*' $word; and not contains -- $last ${WITH_VALUE.join(' ')}`,
    '      set -a words $word',
    '    end',
    '    set last $word',
    '  end',
    '  test "$words" = "$argv[1]"; or begin; test -n "$argv[2]"; and string match -q -- "$argv[1] *" "$words"; end',
    'end',
    'complete -c lode -f',
  ]
  for (const node of nodes) {
    const isLeaf = node.verbs.length === 0
    const condition = `-n ${quote(`__lode_at ${quote(node.path)}${isLeaf ? ' leaf' : ''}`)}`
    for (const verb of node.verbs)
      lines.push(`complete -c lode ${condition} -a ${quote(verb.name)} -d ${quote(verb.summary)}`)
    for (const { long, spec } of forms(node.options)) {
      const short = spec.short ? ` -s ${spec.short}` : ''
      const value = spec.kind === 'flag' ? '' : fishValue(valuesOf(spec))
      lines.push(`complete -c lode ${condition} -l ${long.slice(2)}${short}${value} -d ${quote(spec.help)}`)
    }
    for (const arg of node.args) {
      const { words, files, ids } = valuesOf(arg)
      if (ids !== null) lines.push(`complete -c lode ${condition} -a ${quote(fishIds(ids))}`)
      else if (files !== null) lines.push(`complete -c lode ${condition} -F`)
      else if (words.length > 0) lines.push(`complete -c lode ${condition} -a ${quote(words.join(' '))}`)
    }
  }
  return `${lines.join('\n')}\n`
}

const fishIds = (ids: IdKind): string => `(lode complete fish ${ids} 2>/dev/null)`

function fishValue({ words, files, ids }: Values): string {
  if (files !== null) return ' -r -F'
  if (ids !== null) return ` -x -a ${quote(fishIds(ids))}`
  return ` -x${words.length > 0 ? ` -a ${quote(words.join(' '))}` : ''}`
}
