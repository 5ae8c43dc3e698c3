import { Component, type ReactNode } from 'react';
import { messages } from '../../contract/messages.ts';
import { wordsOf } from '../api/errors.ts';

/** Fallback if not even the tenant's look could be loaded: plain, unbranded, with a Retry that reloads. */
export class StartBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };
  static getDerivedStateFromError(error: unknown) {
    return { error };
  }
  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <main
        style={{ maxWidth: 420, margin: '20vh auto', padding: 16, fontFamily: 'system-ui, sans-serif' }}
        role="alert"
      >
        <h1 style={{ fontSize: 24 }}>{messages.errorTitle}</h1>
        <p>{wordsOf(this.state.error) || messages.errorText}</p>
        <button type="button" onClick={() => location.reload()}>
          Retry
        </button>
      </main>
    );
  }
}
