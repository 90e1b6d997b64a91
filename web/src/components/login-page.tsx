import { LogIn } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { client } from '../lib/api'
import { Button } from './ui/button'
import { ErrorLine } from './ui/error-card'
import { TextField } from './ui/field'
import { CommandLine } from './ui/id-chip'

/** What `lode open` put behind `#`: never sent to a server, and taken out of the address before anything else. */
export function takeCode(): { code: string; to: string } | null {
  const fields = new URLSearchParams(location.hash.slice(1))
  const code = fields.get('code')
  const wanted = fields.get('to') ?? '/'
  const to = /^\/(?![/\\])/.test(wanted) ? wanted : '/'
  if (location.pathname === '/login') history.replaceState(null, '', to)
  return code === null ? null : { code, to }
}

/** The way in: a code from the terminal, good once. */
export function LoginPage({ onIn }: { onIn(): void }) {
  const [code, setCode] = useState('')
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const hasLooked = useRef(false)

  async function enter(given: string) {
    setBusy(true)
    setError(null)
    try {
      await client.login.enter({ code: given })
      onIn()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what the address held
  useEffect(() => {
    if (hasLooked.current) return
    hasLooked.current = true
    const taken = takeCode()
    if (taken !== null) void enter(taken.code)
  }, [])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (code.trim() !== '') void enter(code.trim())
  }

  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <form
        onSubmit={submit}
        className="flex w-full max-w-sm flex-col gap-4 rounded-lg border border-line bg-panel p-6"
      >
        <h1 className="text-lg font-semibold">Lodeline</h1>
        <p className="text-sm text-ink-2">
          Type this in a terminal on the machine where Lodeline runs. It opens this page, logged in, and prints a code
          for any other browser.
        </p>
        <CommandLine command="lode open" />
        <TextField
          label="Code"
          value={code}
          onChange={(event) => setCode(event.target.value)}
          placeholder="XXXX-XXXX-XXXX"
          autoCapitalize="characters"
          className="font-mono"
          autoFocus
        />
        <ErrorLine error={error} />
        <Button
          type="submit"
          look="main"
          icon={<LogIn aria-hidden size={14} />}
          isBusy={isBusy}
          disabled={code.trim() === ''}
        >
          Log in
        </Button>
      </form>
    </main>
  )
}
