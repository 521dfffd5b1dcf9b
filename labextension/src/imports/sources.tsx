import * as React from 'react';

import { bytes, count } from '../table/words';

import type { IStepProps } from './columns';
import { isFolder } from './names';
import { Options } from './options';

/** What the step about files can ask of the page. */
export interface ISourcesProps extends IStepProps {
  /** Lets the person choose files of the server; null where there is no file browser. */
  browse: ((folder: boolean) => Promise<readonly string[]>) | null;
  /** The files in a folder that can be imported. */
  listFolder(path: string): Promise<readonly string[]>;
}

const LISTED = 200;
const NOTED = 4;

/** Which files, and how they are read. */
export function SourcesStep(props: ISourcesProps): JSX.Element {
  const { model, trans } = props;
  const { files, preview } = model;
  return (
    <section className="fc-Step" aria-labelledby="fc-import-file">
      <h2 id="fc-import-file">
        {trans.__('1. Files')}{' '}
        {model.looking && (
          <span className="fc-Quiet" role="status">
            {trans.__('reading…')}
          </span>
        )}
      </h2>
      {!files.empty && <Chosen {...props} />}
      {files.sending ? (
        <Sending {...props} />
      ) : files.empty ? (
        <Choose {...props} />
      ) : null}
      {model.error && !preview && (
        <p className="fc-Error fc-Problem" role="alert">
          {model.error} <Narrow {...props} />
        </p>
      )}
      {preview?.remembered && (
        <p className="fc-Notice" role="status">
          {trans.__(
            'These files begin with how you had the last ones of this source read.'
          )}{' '}
          <button
            className="fc-Link"
            disabled={model.working}
            onClick={() => void model.forget()}
          >
            {trans.__('Forget that')}
          </button>
        </p>
      )}
      {preview && <Options model={model} preview={preview} trans={trans} />}
    </section>
  );
}

/** A folder with a file that spoils it can be taken file by file. */
function Narrow(props: ISourcesProps): JSX.Element | null {
  const { model, trans, listFolder } = props;
  const { paths } = model.files;
  const [folder] = paths;
  if (paths.length !== 1 || !isFolder(folder)) {
    return null;
  }
  return (
    <button
      className="fc-Link"
      onClick={async () => {
        const found = await listFolder(folder);
        if (found.length) {
          model.files.replace(folder, found);
        }
      }}
    >
      {trans.__('Choose among its files')}
    </button>
  );
}

/** The files that were chosen, and what can be done about the choice. */
function Chosen(props: ISourcesProps): JSX.Element {
  const { model, trans } = props;
  const { files, preview, working } = model;
  const found = preview?.files ?? [];
  const size = found.reduce((sum, file) => sum + file.size_bytes, 0);
  return (
    <>
      <ul className="fc-Chips" aria-label={trans.__('Chosen')}>
        {files.names.map((name, at) => (
          <li key={`${at}/${name}`} className="fc-Chip">
            <span>{name}</span>
            <button
              className="fc-Link"
              aria-label={trans.__('Leave out %1', name)}
              disabled={working}
              onClick={() => files.remove(name, at)}
            >
              {trans.__('✕')}
            </button>
          </li>
        ))}
      </ul>
      <p className="fc-Actions">
        {preview && (
          <span>
            {trans._n('%2 file', '%2 files', found.length, count(found.length))}
            {' · '}
            {bytes(size)}
            {' · '}
            {preview.format}
          </span>
        )}
        {!files.sending && <Add {...props} small />}
        <button
          className="fc-Link"
          disabled={working}
          onClick={() => model.reset()}
        >
          {trans.__('Start over')}
        </button>
      </p>
      {found.length > 1 && (
        <details className="fc-More">
          <summary>{trans.__('All %1 files', count(found.length))}</summary>
          <ul className="fc-Files">
            {found.slice(0, LISTED).map(file => (
              <li key={file.name}>
                {file.name}{' '}
                <span className="fc-Quiet">{bytes(file.size_bytes)}</span>
              </li>
            ))}
            {found.length > LISTED && (
              <li>{trans.__('… and %1 more', count(found.length - LISTED))}</li>
            )}
          </ul>
        </details>
      )}
      {preview && <Notes notes={preview.notes} trans={trans} />}
    </>
  );
}

/** What a person should know of the files; the first of it at once. */
export function Notes(
  props: Pick<ISourcesProps, 'trans'> & { notes: readonly string[] }
): JSX.Element {
  const { notes, trans } = props;
  const draw = (note: string) => (
    <p className="fc-Warning" key={note}>
      {note}
    </p>
  );
  return (
    <>
      {notes.slice(0, NOTED).map(draw)}
      {notes.length > NOTED && (
        <details className="fc-More">
          <summary>
            {trans._n(
              '%2 more note',
              '%2 more notes',
              notes.length - NOTED,
              count(notes.length - NOTED)
            )}
          </summary>
          {notes.slice(NOTED).map(draw)}
        </details>
      )}
    </>
  );
}

function Sending({ model, trans }: ISourcesProps): JSX.Element | null {
  const { sending } = model.files;
  return (
    sending && (
      <div className="fc-Choose">
        <progress
          aria-label={trans.__('Sending %1', sending.name)}
          value={sending.sent}
          max={sending.size || 1}
        />
        <span role="status">
          {trans.__(
            'File %1 of %2, %3: %4 of %5 sent',
            count(sending.number),
            count(sending.of),
            sending.name,
            bytes(sending.sent),
            bytes(sending.size)
          )}
        </span>
        <button
          className="jp-mod-styled jp-mod-reject"
          onClick={() => model.files.stopSending()}
        >
          {trans.__('Cancel')}
        </button>
      </div>
    )
  );
}

function Choose(props: ISourcesProps): JSX.Element {
  const { model, trans } = props;
  const [path, setPath] = React.useState('');
  const box = React.useRef<HTMLDivElement>(null);
  React.useLayoutEffect(() => {
    const node = box.current;
    return () => {
      // What has the focus goes; the next Tab is to lead on from this page.
      if (node?.contains(document.activeElement)) {
        node.closest<HTMLElement>('[tabindex]')?.focus();
      }
    };
  }, []);
  return (
    <div className="fc-Choose" ref={box}>
      <p className="fc-Quiet">
        {trans.__(
          'Delimited text, JSON, Parquet, Arrow, Avro or a spreadsheet, also in gzip, zstd, bzip2, xz or zip. Several files, or a folder of them, become one table. Drop files here, or choose them.'
        )}
      </p>
      <Add {...props} />
      <form
        className="fc-Choose-path"
        onSubmit={event => {
          event.preventDefault();
          model.files.addPaths([path]);
        }}
      >
        <input
          className="jp-mod-styled"
          value={path}
          placeholder={trans.__('or a path or pattern: in/*.csv')}
          aria-label={trans.__('Path or pattern')}
          onChange={event => setPath(event.target.value)}
        />
        <button className="jp-mod-styled jp-mod-reject" disabled={!path.trim()}>
          {trans.__('Take')}
        </button>
      </form>
    </div>
  );
}

/** The ways to choose files. */
function Add(props: ISourcesProps & { small?: boolean }): JSX.Element {
  const { model, trans, browse, small } = props;
  const { files, working } = model;
  const input = React.useRef<HTMLInputElement>(null);
  const style = small ? 'fc-Link' : 'jp-mod-styled jp-mod-reject';
  const take = async (folder: boolean) => {
    files.addPaths((await browse?.(folder)) ?? []);
  };
  // Files of two places are never one import.
  const fromHere = !small || files.paths.length > 0;
  const fromComputer = !small || files.uploads.length > 0;
  return (
    <>
      {browse && fromHere && (
        <>
          <button
            className={small ? style : 'jp-mod-styled jp-mod-accept'}
            disabled={working}
            onClick={() => void take(false)}
          >
            {small ? trans.__('Add files…') : trans.__('From Jupyter’s files…')}
          </button>
          <button
            className={style}
            disabled={working}
            onClick={() => void take(true)}
          >
            {small
              ? trans.__('Add a folder…')
              : trans.__('A folder of Jupyter’s…')}
          </button>
        </>
      )}
      {fromComputer && (
        <button
          className={style}
          disabled={working}
          onClick={() => input.current?.click()}
        >
          {small ? trans.__('Add files…') : trans.__('From this computer…')}
        </button>
      )}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={trans.__('Files to import')}
        onChange={event => {
          void files.send(Array.from(event.target.files ?? []));
          event.target.value = '';
        }}
      />
    </>
  );
}
