import { Button, FileButton, Input } from '@mantine/core';
import { IconTrash, IconUpload } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { upload } from '../../../api/upload.ts';
import classes from './settings.module.css';

/** An uploaded picture. */
export interface Picture {
  id: string;
  url: string;
  width: number;
  height: number;
}

/** Chooses, uploads, shows, and removes a picture; it is used once the form is saved. */
export function PictureField(props: {
  label: string;
  help: string;
  purpose: 'logo' | 'favicon';
  picture: Picture | null;
  error: ReactNode;
  onChange: (picture: Picture | null) => void;
}) {
  const { purpose, picture } = props;
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const send = async (file: File | null) => {
    if (!file) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const path = `/configuration/setting/picture?purpose=${purpose}`;
      props.onChange((await upload<{ data: Picture }>(path, file)).data);
    } catch (error) {
      const own = error instanceof ApiError ? error.errors[purpose] : undefined;
      setProblem(own ? `The file ${own[0]}.` : wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Input.Wrapper
      label={props.label}
      labelElement="div"
      description={props.help}
      error={problem ?? props.error}
    >
      <div className={classes.picture}>
        <span className={classes.frame} data-purpose={purpose}>
          {picture ? <img src={picture.url} alt={`${props.label} (current)`} /> : <span>None</span>}
        </span>
        <FileButton
          accept="image/png,image/jpeg,image/webp,image/svg+xml"
          onChange={(file) => void send(file)}
          inputProps={{ 'aria-label': `${props.label} file`, tabIndex: -1 }}
        >
          {(button) => (
            <Button variant="default" leftSection={<IconUpload size={16} />} loading={isBusy} {...button}>
              {picture ? 'Replace' : 'Upload'}
              <span className="sr-only"> {props.label.toLowerCase()}</span>
            </Button>
          )}
        </FileButton>
        {picture && (
          <Button
            variant="default"
            leftSection={<IconTrash size={16} />}
            onClick={() => {
              setProblem(undefined);
              props.onChange(null);
            }}
          >
            Remove<span className="sr-only"> {props.label.toLowerCase()}</span>
          </Button>
        )}
      </div>
    </Input.Wrapper>
  );
}
