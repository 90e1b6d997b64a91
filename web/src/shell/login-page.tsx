import { LogIn } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ownValue } from '#domain/own-value'
import { Button } from '../components/ui/button'
import { ErrorLine } from '../components/ui/error-card'
import { TextField } from '../components/ui/field'
import { CommandLine } from '../components/ui/id-chip'
import { client } from '../lib/api'

/** Takes the code that `lode open` put behind `#` out of the address. That part is never sent to a server. */
export function takeCode(): { code: string; to: string } | null {
  const fields = new URLSearchParams(location.hash.slice(1))
  const code = fields.get('code')
  const wanted = fields.get('to') ?? '/'
  const to = /^\/(?![/\\])/.test(wanted) ? wanted : '/'
  if (location.pathname === '/login') history.replaceState(null, '', to)
  return code === null ? null : { code, to }
}

/** The page that was asked for, or the home page. */
function goToProvider(): void {
  const to = location.pathname === '/login' ? '/' : location.pathname + location.search
  location.assign(`/api/login/provider?${new URLSearchParams({ to })}`)
}

/** Why the server let nobody in, by the word behind `#refused=`. */
const REFUSALS: Readonly<Record<string, string>> = {
  unknown: 'The provider knows you, but nobody has added you here. An admin can do that, with your e-mail address.',
  declined: 'The provider did not let you in.',
  unreachable: 'The provider does not answer. Try again later, or ask for a login link.',
  busy: 'Too many logins failed from your address. Try again in a minute.',
  unproven: 'What the provider sent does not prove who you are. Try again.',
  expired: 'This login took too long, or was used already. Try again.',
}

/** Takes the reason out of the address. */
function takeRefusal(): string | null {
  const reason = new URLSearchParams(location.hash.slice(1)).get('refused')
  if (location.pathname !== '/login' || reason === null) return null
  history.replaceState(null, '', '/login')
  return ownValue(REFUSALS, reason) ?? 'The login was refused.'
}

/** Logs in by a code from the terminal, which works once, or at the provider, where there is one. */
export function LoginPage({ onIn }: { onIn(): void }) {
  const [code, setCode] = useState('')
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const hasLooked = useRef(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const [provider, setProvider] = useState<string | null>(null)

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

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with the code of the address
  useEffect(() => {
    if (hasLooked.current) return
    hasLooked.current = true
    setRefusal(takeRefusal())
    client.login.ways().then(
      (ways) => setProvider(ways.provider),
      () => {},
    )
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
        {refusal === null ? null : (
          <p role="alert" className="rounded px-2 py-1.5 text-sm text-fail tint-fail">
            {refusal}
          </p>
        )}
        {provider === null ? null : (
          <Button look="main" icon={<LogIn aria-hidden size={14} />} onClick={goToProvider}>
            Log in with {provider}
          </Button>
        )}
        <p className="text-sm text-ink-2">
          Run this in a terminal on the host where Lodeline runs. It opens this page logged in, and prints a code for
          other browsers. If somebody else runs it, ask for a login link and open that.
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
